/** Item lines: a line for each thing in history, with the id by which it is found again. A call and its result are one. Pure. */
import { type CommittedItem, cutUtf8, flattenInput, idOf, type Item, utf8Length } from "@yoi/base";

/** Bytes of a call's arguments in its line. */
const argumentsBytesMax = 80;

/** In the order of history; what says nothing has none. @param bytesMax of a line. */
export function itemLines(items: readonly CommittedItem[], bytesMax: number): readonly string[] {
  const results = new Map<string, string>();
  for (const { item } of items) if (item.type === "tool_result") results.set(item.call, resultText(item));
  return items.flatMap((one) => {
    const text = lineOf(one.item, results);
    return text === null ? [] : [cutLine(`[${idOf(one)}] ${text}`, bytesMax)];
  });
}

function lineOf(item: Item, results: ReadonlyMap<string, string>): string | null {
  switch (item.type) {
    case "user_message":
      return `user: ${oneLine(flattenInput(item.parts))}`;
    case "assistant_message":
      return `you: ${oneLine(item.text)}`;
    case "reasoning":
      return null;
    case "tool_call":
      return `${item.name} ${cutLine(oneLine(item.arguments), argumentsBytesMax)} -> ${results.get(item.call) ?? "no result"}`;
    case "tool_result":
      return null;
    case "system_item":
      return `note (${item.kind} from ${item.source}): ${oneLine(item.body)}`;
  }
}

function resultText(item: Extract<Item, { readonly type: "tool_result" }>): string {
  return `${item.is_error ? "error: " : ""}${oneLine(item.summary)}`;
}

/** Enough of a long text for any line. */
const lookedAtChars = 4_096;

export function oneLine(text: string): string {
  return text.slice(0, lookedAtChars).replace(/\s+/g, " ").trim();
}

export function cutLine(text: string, bytesMax: number): string {
  return utf8Length(text) <= bytesMax ? text : `${cutUtf8(text, bytesMax - 3).trimEnd()}...`;
}

const cutMark = "\n[the rest had no room]";

/** Over several lines; empty where there is room for no more than the mark. */
export function cutWithMark(text: string, bytesMax: number): string {
  if (utf8Length(text) <= bytesMax) return text;
  const kept = cutUtf8(text, Math.max(0, bytesMax - cutMark.length)).trimEnd();
  return kept === "" ? "" : `${kept}${cutMark}`;
}
