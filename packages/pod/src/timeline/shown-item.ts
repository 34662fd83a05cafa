/** ShownItem: what of a log entry the model may see again: items of history, reasoning not among them. */
import { entryId, flattenInput, type Item, itemOf, type LogEntry } from "@yoi/base";
import { isSessionTool } from "../policy/session-tools.ts";
import type { Timeline, TimelineSegment } from "./timeline.ts";

export interface ShownItem {
  /** How the model names it: its id where it was written first. */
  readonly id: string;
  /** Who said it, in a few words. */
  readonly who: string;
  readonly text: string;
  /** It was shown by a tool that looks back: what it shows is found where it was said. */
  readonly isEcho: boolean;
}

/** The kinds of entries that bring items into history. */
export const itemKinds: ReadonlySet<string> = new Set([
  "user_input",
  "assistant_item",
  "tool_result",
  "system_item",
  "carried",
]);

/** Null: nothing is shown of it, or it is where it was written first. */
export function shownItem(
  entry: LogEntry,
  { generation }: TimelineSegment,
  { segments }: Timeline,
): ShownItem | null {
  const item = itemOf(entry);
  if (item === null) return null;
  const own = entryId(generation, entry.seq);
  const id = !("opaque" in entry) && entry.kind === "carried" && entry.of === "item" ? entry.id : own;
  const written = generationOf(id);
  if (written !== generation && segments.some((one) => one.generation === written)) return null;
  const said = saidBy(item);
  return said === null ? null : { id, ...said, isEcho: "name" in item && isSessionTool(item.name) };
}

function generationOf(id: string): number {
  const dash = id.indexOf("-");
  return dash === -1 ? 0 : Number(id.slice(0, dash));
}

function saidBy(item: Item): Pick<ShownItem, "who" | "text"> | null {
  switch (item.type) {
    case "user_message":
      return { who: "user", text: flattenInput(item.parts) };
    case "assistant_message":
      return { who: "assistant", text: item.text };
    case "reasoning":
      return null;
    case "tool_call":
      return { who: `call of ${item.name}`, text: item.arguments };
    case "tool_result": {
      const { name, summary, content, is_error: isError } = item;
      const who = `${isError ? "error" : "result"} of ${name}`;
      return { who, text: content === undefined ? summary : `${summary}\n${content}` };
    }
    case "system_item":
      return { who: `${item.kind} from ${item.source}`, text: item.body };
  }
}

/** What a search looks at: of a call also its texts as they were before they became JSON. */
export function searchedText(entry: LogEntry, { text }: ShownItem): string {
  const item = itemOf(entry);
  if (item?.type !== "tool_call") return text;
  try {
    return [text, ...textsOf(JSON.parse(text))].join("\n");
  } catch {
    return text;
  }
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value === null || typeof value !== "object" ? [] : Object.values(value).flatMap(textsOf);
}
