/** editItem: a front matter with some values changed, every other byte as it was. */
import { isNode, isScalar, type Pair, stringify } from "yaml";
import { canonicalJson, messageOf, YoiError } from "@yoi/base";
import { checkFrontMatter, type FrontMatter, readFrontMatter } from "./front-matter.ts";
import type { TicketState } from "./ticket.ts";

export interface ItemChange {
  readonly title?: string;
  readonly state?: TicketState;
  readonly updated_at?: string;
}

/** Throws ticket_damaged where `parseItem` finds no front matter that can be read, or none that can be written again, limit_exceeded where there would be none after it. */
export function editItem(text: string, change: ItemChange): string {
  let edited = text;
  for (const [key, value] of Object.entries(change)) {
    if (value !== undefined) edited = setKey(edited, key, String(value).toWellFormed());
  }
  return edited;
}

function setKey(text: string, key: string, value: string): string {
  const front = readFront(text);
  const edited = replaced(text, front, key, value);
  if (edited !== null && valueOf(edited, key) === value) return edited;
  // There is no one place for the value: the library writes the front matter anew, with its comments and in its order.
  front.document.set(key, value);
  const { yaml, data } = written(front);
  checkFrontMatter(yaml);
  const anew = splice(text, front.start, front.end, yaml);
  if (dataOf(readFront(anew)) !== data) {
    throw unchangeable("the front matter, written anew, would not say the same");
  }
  return anew;
}

function written(front: FrontMatter): { readonly yaml: string; readonly data: string } {
  try {
    return { yaml: front.document.toString({ lineWidth: 0 }), data: dataOf(front) };
  } catch (error) {
    // Aliases, names of anchors that the library reads and does not write, and the like.
    throw unchangeable(`the front matter cannot be written anew: ${messageOf(error)}`);
  }
}

function dataOf(front: FrontMatter): string {
  return canonicalJson(front.document.toJS({ maxAliasCount: 0 }));
}

function unchangeable(why: string): YoiError {
  return new YoiError("ticket_damaged", `The item.md cannot be changed: ${why}.`);
}

/** Null: not by changing one place. */
function replaced(text: string, front: FrontMatter, key: string, value: string): string | null {
  const pair = front.map.items.find((one: Pair) => isScalar(one.key) && one.key.value === key);
  const yaml = text.slice(front.start, front.end);
  if (pair === undefined) {
    if (front.map.flow === true) return null;
    const newline = yaml.endsWith("\r\n") ? "\r\n" : "\n";
    return splice(text, front.end, front.end, `${key}: ${scalar(value, undefined)}${newline}`);
  }
  const range = isNode(pair.value) ? pair.value.range : undefined;
  if (!range || range[0] === range[1]) return null;
  const end = /\r?\n$/.exec(yaml.slice(range[0], range[1]))?.[0] ?? "";
  const type = isScalar(pair.value) ? pair.value.type : undefined;
  return splice(text, front.start + range[0], front.start + range[1], scalar(value, type) + end);
}

function readFront(text: string): FrontMatter {
  const front = readFrontMatter(text);
  if (!("problem" in front)) return front;
  const { line, message } = front.problem;
  throw unchangeable(`line ${line}: ${message}`);
}

function valueOf(text: string, key: string): unknown {
  const front = readFrontMatter(text);
  return "problem" in front ? undefined : front.map.get(key);
}

/** On one line, quoted as the old value was where that can hold it. */
function scalar(value: string, type: string | undefined): string {
  const defaultStringType = type === "QUOTE_SINGLE" || type === "QUOTE_DOUBLE" ? type : "PLAIN";
  return stringify(value, { lineWidth: 0, defaultStringType }).trimEnd();
}

function splice(text: string, start: number, end: number, between: string): string {
  return text.slice(0, start) + between + text.slice(end);
}
