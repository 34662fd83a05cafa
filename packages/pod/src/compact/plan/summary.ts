/** summary: what happened before a compaction, by a model, or by rules where no model was asked. Pure. */
import { type CommittedItem, type Item, type JsonObject, type SystemItem, utf8Length } from "@yoi/base";
import { hostSource } from "./history-parts.ts";
import { cutWithMark, itemLines } from "./item-lines.ts";

/** What a compactor wrote. */
export interface Summary {
  readonly text: string;
  /** What the user demands or forbids for all further work, in the user's words. */
  readonly constraints: readonly string[];
  /** Numbers of the demands known before that the user took back. */
  readonly withdrawn: readonly number[];
  readonly currentWork: string;
  /** Paths that matter for the next steps. */
  readonly files: readonly string[];
}

/** UTF-8 bytes of the lines of one summary that are kept for the next one. */
const linesBytesMax = 32_000;
/** Of a line. */
const lineBytesMax = 240;

/** What a summary is made of: the last one that a model wrote, and a line for each thing that left history since. */
export interface Account {
  readonly byModel: string | null;
  /** Oldest first. */
  readonly lines: readonly string[];
}

const noAccount: Account = Object.freeze({ byModel: null, lines: [] });

/** @param left the items that a model did not sum up. */
export function addToAccount(
  before: Account,
  summary: Summary | null,
  left: readonly CommittedItem[],
): Account {
  const lines = itemLines(left, lineBytesMax);
  const known = summary === null ? before : { byModel: modelText(summary), lines: [] };
  return { byModel: known.byModel, lines: newest([...known.lines, ...lines], linesBytesMax).lines };
}

function modelText({ text, currentWork, files }: Summary): string {
  return [
    text.trim(),
    ...(currentWork.trim() === "" ? [] : [`What was being done:\n${currentWork.trim()}`]),
    ...(files.length === 0 ? [] : [`Files that matter for the next steps: ${files.join(", ")}`]),
  ].join("\n\n");
}

/** Null: nothing ever left history. @param bytesMax of the text that the model reads. */
export function summaryItem(account: Account, bytesMax: number, hasLeft: boolean): SystemItem | null {
  const { byModel, lines } = account;
  if (byModel === null && lines.length === 0 && !hasLeft) return null;
  return {
    type: "system_item",
    kind: "summary",
    source: hostSource,
    reason: byModel === null ? "history was compacted by rules" : "history was compacted",
    body: bodyOf(account, bytesMax),
    record: { by_model: byModel, lines: [...lines] } satisfies JsonObject,
  };
}

/** What a summary says of the answers that left history, for those who count them: how many were whole, and how often the one behind them broke off. */
export interface LeftAnswers {
  readonly answers: number;
  readonly broken: number;
}

/** The item, where it is a summary of the host with the count on its record. */
export function countingAnswers(item: Item, { answers, broken }: LeftAnswers): Item {
  if (item.type !== "system_item" || item.kind !== "summary" || item.source !== hostSource) return item;
  return Object.freeze({ ...item, record: { ...item.record, answers, broken } });
}

const intro = "Earlier history was left out to make room.";
const whereItIs = "SessionSearch finds what was said, SessionRead ID shows an entry whole.";

function bodyOf({ byModel, lines }: Account, bytesMax: number): string {
  const head = `${intro} ${whereItIs}`;
  const room = Math.max(0, bytesMax - utf8Length(head));
  // Of what has no room the rest goes to the other one.
  const told = lines.reduce((sum, line) => sum + utf8Length(line) + 1, 0);
  const text = byModel === null ? "" : cutWithMark(byModel, Math.max(room - told, Math.floor(room / 2)));
  const shown = newest(lines, room - utf8Length(text));
  return [
    head,
    ...(text === "" ? [] : [text]),
    ...(shown.lines.length === 0
      ? []
      : [`What happened${byModel === null ? "" : " since"}, by its first lines:`]),
    ...(shown.left === 0 || shown.lines.length === 0
      ? []
      : [`(${shown.left} older entries have no room here)`]),
    ...shown.lines,
  ].join("\n");
}

/** The newest lines that fit. */
function newest(
  lines: readonly string[],
  bytesMax: number,
): { readonly lines: readonly string[]; readonly left: number } {
  let room = bytesMax;
  const last = lines.findLastIndex((line) => {
    room -= utf8Length(line) + 1;
    return room < 0;
  });
  return { lines: lines.slice(last + 1), left: last + 1 };
}

/** Of the item that an earlier compaction wrote; null: there was none. */
export function readAccount(item: SystemItem | null): Account {
  const { by_model: byModel, lines } = item?.record ?? {};
  if (!Array.isArray(lines)) return noAccount;
  return {
    byModel: typeof byModel === "string" ? byModel : null,
    lines: lines.filter((line) => typeof line === "string"),
  };
}
