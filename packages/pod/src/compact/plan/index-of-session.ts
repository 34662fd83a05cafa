/** The index that a compactor is given of the history it sums up: bounded whatever the size of that, and never the transcript. Pure. */
import { type CommittedItem, flattenInput, idOf, utf8Length } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import { bytesPerToken } from "@yoi/worker";
import { carriedOver, ownItems } from "./history-parts.ts";
import { cutLine, itemLines, oneLine } from "./item-lines.ts";
import type { CompactionLimits } from "./limits.ts";

/** Bytes of a message, of a message in the coarse part, and of a call with its result. */
const messageBytesMax = 2_000;
const coarseBytesMax = 240;
const callBytesMax = 240;
/** The calls that are told of: the last ones. */
const callsMax = 24;

/**
 * Counts, what earlier compactions carried over, the messages newest first as far as they have room within the target, older ones by their
 * beginnings within the warning size, and the last calls. Never over the deadline size.
 */
export function compactionIndex(
  state: Pick<SessionState, "items" | "calibration" | "config">,
  { overview }: Pick<CompactionLimits, "overview">,
): string {
  const rate = bytesPerToken(state.calibration, state.config.model);
  const bytesOf = (tokens: number): number => Math.floor(tokens * rate);
  const items = ownItems(state.items);
  const text = new BoundedText(bytesOf(overview.deadline));
  text.add(`History: ${countsOf(items)}.`);
  for (const kind of ["summary", "user_inputs"] as const) {
    const before = carriedOver(state.items, kind);
    if (before !== null) text.add(`${titles[kind]}\n${before.body}`);
  }
  const messages = items.filter(isMessage).toReversed();
  const whole = take(
    messages,
    (one) => cutLine(messageLine(one), messageBytesMax),
    bytesOf(overview.target) - text.bytes,
  );
  text.add(section("Messages, newest first:", whole));
  const rest = messages.slice(whole.length);
  const coarse = take(
    rest,
    (one) => itemLines([one], coarseBytesMax)[0] ?? "",
    bytesOf(overview.warning) - text.bytes,
  );
  text.add(section("Older messages by their beginnings, newest first:", coarse));
  const left = rest.length - coarse.length;
  if (left > 0) text.add(`(${left} older messages are not shown: SessionSearch and SessionRead have them)`);
  const lines = itemLines(items.filter(isCallOrResult), callBytesMax).slice(-callsMax);
  text.add(section("The last calls, oldest first:", lines));
  return text.text;
}

const titles = {
  summary: "The summary of what was before, which yours replaces:",
  user_inputs: "What the user said before, which goes on by itself:",
};

/** Parts with an empty line between them, none of which goes over the bound. */
class BoundedText {
  readonly #bytesMax: number;
  text = "";

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return utf8Length(this.text);
  }

  add(part: string): void {
    if (part === "") return;
    const between = this.text === "" ? "" : "\n\n";
    const room = this.#bytesMax - this.bytes - between.length;
    if (room > coarseBytesMax || utf8Length(part) <= room) this.text += `${between}${cutLine(part, room)}`;
  }
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : [title, ...lines].join("\n");
}

/** As many lines as have room. */
function take(
  items: readonly CommittedItem[],
  lineOf: (one: CommittedItem) => string,
  bytesMax: number,
): readonly string[] {
  const lines: string[] = [];
  let room = bytesMax;
  for (const one of items) {
    const line = lineOf(one);
    room -= utf8Length(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines;
}

function countsOf(items: readonly CommittedItem[]): string {
  const counts = new Map<string, number>();
  for (const { item } of items) counts.set(item.type, (counts.get(item.type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} ${type.replaceAll("_", " ")}`).join(", ") || "nothing";
}

function isMessage({ item }: CommittedItem): boolean {
  return item.type === "user_message" || item.type === "assistant_message" || item.type === "system_item";
}

function isCallOrResult({ item }: CommittedItem): boolean {
  return item.type === "tool_call" || item.type === "tool_result";
}

function messageLine(one: CommittedItem): string {
  const { item } = one;
  switch (item.type) {
    case "user_message":
      return `[${idOf(one)}] user: ${flattenInput(item.parts)}`;
    case "assistant_message":
      return `[${idOf(one)}] you: ${item.text}`;
    case "system_item":
      return `[${idOf(one)}] note (${item.kind} from ${item.source}): ${oneLine(item.body)}`;
    case "reasoning":
    case "tool_call":
    case "tool_result":
      return "";
  }
}
