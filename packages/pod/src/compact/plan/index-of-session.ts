/** The index that a compactor is given of the history it sums up: bounded whatever the size of that, and never the transcript. Pure. */
import { type CommittedItem, flattenInput, idOf, utf8Length } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import { bytesPerToken } from "@yoi/worker";
import { carriedOver, ownItems } from "./history-parts.ts";
import { cutLine, cutWithMark, itemLines, oneLine } from "./item-lines.ts";
import type { CompactionLimits } from "./limits.ts";
import { readUserInputs } from "./user-inputs.ts";

/** Bytes of a message, of a message in the coarse part, and of a call with its result. */
const messageBytesMax = 2_000;
const coarseBytesMax = 240;
const callBytesMax = 240;
/** A known demand is shown in so many at least, and the ids of inputs in so many at most. */
const demandBytesMin = 40;
const idsBytesMax = 400;
/** The calls that are told of: the last ones. */
const callsMax = 24;

/**
 * Counts, what earlier compactions carried over, the last input, the messages newest first as far as they have room, older ones by their beginnings within the warning
 * size, and the last calls. Half of the target is the messages', however much was carried over. Never over the deadline size.
 */
export function compactionIndex(
  state: Pick<SessionState, "items" | "calibration" | "config">,
  { overview }: Pick<CompactionLimits, "overview">,
): string {
  const rate = bytesPerToken(state.calibration, state.config.model);
  const bytesOf = (tokens: number): number => Math.floor(tokens * rate);
  const [target, deadline] = [bytesOf(overview.target), bytesOf(overview.deadline)];
  const items = ownItems(state.items);
  const text = new BoundedText(deadline);
  text.add(`History: ${countsOf(items)}.`);
  // With half of the target for the messages these are within the deadline, also where that is no later.
  text.add(earlierSummary(state.items, Math.floor(Math.min(target / 2, deadline / 4))));
  text.add(knownDemands(state.items, Math.floor(Math.min(target / 4, deadline / 8))));
  const room = Math.max(Math.floor(target / 2), target - text.bytes);
  const input = items.findLast(({ item }) => item.type === "user_message");
  const last = input === undefined ? "" : cutLine(messageLine(input), Math.floor(room / 2));
  text.add(last === "" ? "" : `The last input of the user:\n${last}`);
  const messages = items.filter((one) => isMessage(one) && one !== input).toReversed();
  const whole = take(messages, (one) => cutLine(messageLine(one), messageBytesMax), room - utf8Length(last));
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

function earlierSummary(items: readonly CommittedItem[], bytesMax: number): string {
  const before = carriedOver(items, "summary");
  if (before === null) return "";
  return `The summary of what was before, which yours replaces:\n${cutWithMark(before.body, bytesMax)}`;
}

/** By number, each as long as lets all be told, and the ids of what the user said: the words themselves go on anyway. */
function knownDemands(items: readonly CommittedItem[], bytesMax: number): string {
  const { inputs, demands } = readUserInputs(carriedOver(items, "user_inputs"));
  const { holding, withdrawn } = demands;
  const each = Math.max(
    demandBytesMin,
    Math.floor((bytesMax * 0.75) / Math.max(1, holding.length + withdrawn.length)),
  );
  const ids = inputs.map(({ id }) => id).join(", ");
  const numbered = holding.map((text, at) => cutLine(`${at + 1}. ${text}`, each));
  const gone = withdrawn.map(({ text }) => cutLine(`- ${text}`, each));
  const parts = [
    section("What the user demands or forbids so far, by number; it goes on by itself:", numbered),
    section("What the user took back before:", gone),
    ids === "" ? "" : cutLine(`What the user said before goes on by itself. Its ids: ${ids}`, idsBytesMax),
  ];
  return cutWithMark(parts.filter((part) => part !== "").join("\n"), bytesMax);
}

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
