/** Event headers: the line of a thread that begins an event, `<!-- event: comment id: ... author: hare ... -->`, and the one that ends it. */
import type { TicketEvent } from "./ticket.ts";
import { ticketRoles } from "./ticket.ts";

/** What a header says; its sum is checked where the body is known. */
export interface EventHeader {
  /** Null: an older tool wrote it. */
  readonly id: string | null;
  readonly sum: string | null;
  readonly event: Omit<TicketEvent, "id" | "body">;
}

/** Longer lines are no headers; every one that yoi writes is far below. UTF-16 units. */
export const headerCharsMax = 16_384;

const opening = "<!-- event: ";
const closing = " -->";
const endPattern = /^<!-- end: ([^ ]+)(?: lines: ([\w-]+))? -->[ \t]*$/;
/** What `renderHeader` puts behind all else. */
const sealPattern = / sum: [0-9a-f]+ -->[ \t]*$/;
/** Every line that could be taken for a header or an end, now or by a later version, whatever stands before it. */
const suspicious = /^([ \t]*\\*)(<!--[ \t]*(?:event|end)\b)/i;
const bare = /^[A-Za-z0-9._:/+@-]+$/;
const name = /[a-z][a-z0-9_]*: /y;
const nextName = / [a-z][a-z0-9_]*: /g;
const quoted = /"(?:[^"\\]|\\.)*"(?= |$)/y;

/** Text of a body's line as it stands in the thread: one that looks like a header gets a backslash. */
export function escapeLine(line: string): string {
  return line.replace(suspicious, "$1\\$2");
}

/** The inverse of `escapeLine`: takes one backslash away. */
export function unescapeLine(line: string): string {
  const found = suspicious.exec(line);
  const before = found?.[1] ?? "";
  return before.endsWith("\\") ? before.slice(0, -1) + line.slice(before.length) : line;
}

/** It begins like a header, at the start of its line. */
export function looksLikeHeader(line: string): boolean {
  return /^<!--[ \t]*event\b/i.test(line);
}

/** The line that ends an event. */
export interface EventEnd {
  readonly id: string;
  /** The sums of the body's lines, one behind the other; empty: there is no body. */
  readonly lineSums: string;
}

/** Null: another line. */
export function endOf(line: string): EventEnd | null {
  if (!line.startsWith("<!-- end: ")) return null;
  const [, id, lineSums = ""] = endPattern.exec(line) ?? [];
  return id === undefined ? null : { id, lineSums };
}

export function renderEnd({ id, lineSums }: EventEnd): string {
  return `<!-- end: ${id}${lineSums === "" ? "" : ` lines: ${lineSums}`}${closing}`;
}

/** The header with its sum, which stands last. */
export function sealHeader(header: string, sum: string): string {
  return `${header.slice(0, -closing.length)} sum: ${sum}${closing}`;
}

/** The inverse of `sealHeader`. */
export function unsealHeader(line: string): string {
  return line.replace(sealPattern, closing);
}

/** Attributes in the order in which they are written, without the sum. `event` is the kind. */
export function renderHeader(event: TicketEvent): string {
  const attributes: [string, string | null | undefined][] = [
    ["event", event.kind],
    ["id", event.id],
    ["author", event.author],
    ["role", event.role],
    ["at", event.at === "" ? null : event.at],
    ["status", event.status],
    ["from", event.from],
    ["to", event.to],
    ["relation", event.relation],
    ["target", event.target],
    ["reason", event.reason],
    ...Object.entries(event.other ?? {}),
  ];
  const written = attributes.flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [`${key}: ${quoteValue(value)}`],
  );
  return `<!-- ${written.join(" ")}${closing}`;
}

/** As a JSON string where it is not one plain word; nothing in it can end the comment, the line, or change its direction. */
function quoteValue(value: string): string {
  if (bare.test(value)) return value;
  return JSON.stringify(value).replace(
    /[<>\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A sentence's end: why the line is no header. */
export type HeaderFault = { readonly fault: string };

export function parseHeader(line: string): EventHeader | HeaderFault {
  if (line.length > headerCharsMax) return { fault: `it is longer than ${headerCharsMax} characters` };
  const text = line.trimEnd();
  if (!text.startsWith(opening)) return { fault: `it does not begin with "${opening.trimEnd()}"` };
  if (!text.endsWith(closing)) return { fault: `it does not end in "${closing.trimStart()}"` };
  const inner = text.slice("<!-- ".length, -closing.length);
  if (inner.includes("-->")) return { fault: "the comment ends before the line does" };
  const attributes = parseAttributes(inner);
  if (attributes instanceof Map) return headerOf(attributes);
  return attributes;
}

function parseAttributes(text: string): Map<string, string> | HeaderFault {
  const attributes = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    name.lastIndex = at;
    const key = name.exec(text)?.[0].slice(0, -2);
    if (key === undefined) return { fault: `there is no "name: value" at column ${at + "<!-- ".length + 1}` };
    if (attributes.has(key)) return { fault: `it says ${key} twice` };
    at += key.length + 2;
    quoted.lastIndex = at;
    const string = quoted.exec(text)?.[0];
    if (string !== undefined) {
      attributes.set(key, unquote(string));
      at += string.length + 1;
      continue;
    }
    // Older tools wrote values with spaces as they were: such a value goes on to the next name.
    nextName.lastIndex = at;
    const end = nextName.exec(text)?.index ?? text.length;
    attributes.set(key, text.slice(at, end));
    at = end + 1;
  }
  return attributes;
}

function unquote(string: string): string {
  try {
    const value: unknown = JSON.parse(string);
    if (typeof value === "string") return value;
  } catch {
    // Older tools put a backslash before quotes and backslashes, and nothing else.
  }
  return string.slice(1, -1).replace(/\\(.)/g, "$1");
}

function headerOf(attributes: Map<string, string>): EventHeader | HeaderFault {
  const take = (key: string): string | undefined => {
    const value = attributes.get(key);
    attributes.delete(key);
    return value;
  };
  const kind = take("event") ?? "";
  if (kind === "") return { fault: "it names no kind" };
  const id = take("id") ?? null;
  const sum = take("sum") ?? null;
  const author = take("author") ?? "";
  const roleText = attributes.get("role");
  const role = ticketRoles.find((known) => known === roleText) ?? null;
  // Another role than ours is kept as it is said.
  if (role !== null) attributes.delete("role");
  const at = take("at") ?? "";
  const texts: { -readonly [key in (typeof optionalTexts)[number]]?: string } = {};
  for (const key of optionalTexts) {
    const value = take(key);
    if (value !== undefined) texts[key] = value;
  }
  const other = attributes.size === 0 ? {} : { other: Object.fromEntries(attributes) };
  return { id, sum, event: { kind, author, role, at, ...texts, ...other } };
}

const optionalTexts = ["status", "from", "to", "reason", "relation", "target"] as const;
