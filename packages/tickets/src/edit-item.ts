/** editItem: a front matter with some values changed, every other byte as it was. */
import { isNode, isScalar, type Pair, stringify } from "yaml";
import { YoiError } from "@yoi/base";
import { type FrontMatter, readFrontMatter } from "./front-matter.ts";
import type { TicketState } from "./ticket.ts";

export interface ItemChange {
  readonly title?: string;
  readonly state?: TicketState;
  readonly updated_at?: string;
}

/** Throws ticket_damaged where `parseItem` finds no front matter that can be read. */
export function editItem(text: string, change: ItemChange): string {
  let edited = text;
  for (const [key, value] of Object.entries(change)) {
    if (value !== undefined) edited = setKey(edited, key, String(value).toWellFormed());
  }
  return edited;
}

function setKey(text: string, key: string, value: string): string {
  const front = readFrontMatter(text);
  if ("problem" in front) {
    throw new YoiError(
      "ticket_damaged",
      `The item.md cannot be changed: line ${front.problem.line}: ${front.problem.message}.`,
    );
  }
  const pair = front.map.items.find((one: Pair) => isScalar(one.key) && one.key.value === key);
  const range = isNode(pair?.value) ? pair.value.range : undefined;
  const yaml = text.slice(front.start, front.end);
  if (front.map.flow === true) return rewritten(text, front, key, value);
  if (pair === undefined) {
    const newline = yaml.endsWith("\r\n") ? "\r\n" : "\n";
    return splice(text, front.end, front.end, `${key}: ${scalar(value, undefined)}${newline}`);
  }
  if (!range || range[0] === range[1]) return rewritten(text, front, key, value);
  const old = yaml.slice(range[0], range[1]);
  const end = /\r?\n$/.exec(old)?.[0] ?? "";
  const type = isScalar(pair.value) ? pair.value.type : undefined;
  const at = front.start;
  return splice(text, at + range[0], at + range[1], scalar(value, type) + end);
}

/** Where there is no one place for the value: the library writes the front matter anew, with its comments and in its order. */
function rewritten(text: string, front: FrontMatter, key: string, value: string): string {
  front.document.set(key, value);
  return splice(text, front.start, front.end, front.document.toString({ lineWidth: 0 }));
}

/** On one line, quoted as the old value was where that can hold it. */
function scalar(value: string, type: string | undefined): string {
  const defaultStringType = type === "QUOTE_SINGLE" || type === "QUOTE_DOUBLE" ? type : "PLAIN";
  return stringify(value, { lineWidth: 0, defaultStringType }).trimEnd();
}

function splice(text: string, start: number, end: number, between: string): string {
  return text.slice(0, start) + between + text.slice(end);
}
