/** Searching a Pod's own session: plain words, what history goes back to first, newest first, and so many bytes at a time. */
import { entryId, type LogEntry, YoiError } from "@yoi/base";
import type { StoredLine } from "@yoi/session-store";
import type { EntryStore } from "./find-entry.ts";
import { type OwnPart, ownSession, placeOf, type SessionPlace } from "./own-session.ts";
import { itemKinds, searchedText, type ShownItem, shownItem } from "./shown-item.ts";

/** Bytes of logs and payloads that one search looks through. */
export const searchBytesMax = 32 * 1024 * 1024;
/** Characters of an item that are shown around what was found. */
export const snippetCharsMax = 240;

export interface SearchRequest {
  /** Several words: all of them in one item. */
  readonly query: string;
  readonly limit: number;
  /** Id of an entry: the search goes on behind it, in its own order. */
  readonly before: string | null;
  /** It stops behind the line that reaches so many. */
  readonly bytesMax: number;
  readonly signal: AbortSignal;
}

export interface SearchHit {
  readonly id: string;
  readonly who: string;
  /** One line around the first word. */
  readonly snippet: string;
  readonly isAbandoned: boolean;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** Where the search goes on, as `before`; null: everything was looked through. */
  readonly next: string | null;
  readonly bytes: number;
  /** Items whose payload is damaged. */
  readonly unreadable: number;
  /** An older segment is not there. */
  readonly isCut: boolean;
}

/** Throws usage for a query without a word, target_unknown, io_failed, and the signal's reason. */
export async function searchSession(
  store: EntryStore,
  place: SessionPlace,
  { query, limit, before, bytesMax, signal }: SearchRequest,
): Promise<SearchResult> {
  const wanted = wordsOf(query);
  const session = await ownSession(store, place);
  const start = before === null ? null : await placeOf(store, session, before);
  const hits: SearchHit[] = [];
  let [bytes, unreadable] = [0, 0];
  const { parts, timeline } = session;
  const result = (next: string | null): SearchResult => {
    return { hits, next, bytes, unreadable, isCut: timeline.missing !== null };
  };
  for (const [index, part] of parts.entries()) {
    if (start !== null && index < start.part) continue;
    const { segment, from } = part;
    const through = index === start?.part ? start.seq - 1 : part.through;
    if (through < from) continue;
    for await (const line of linesBack(store, part, through)) {
      signal.throwIfAborted();
      bytes += line.bytes;
      const entry = mayHold(line, wanted) ? line.decode() : null;
      if (entry !== null && "detached" in entry) bytes += entry.blob.bytes;
      const whole = entry === null ? null : await attached(store, part, entry);
      if (whole === "damaged") unreadable += 1;
      else if (whole !== null) {
        const item = shownItem(whole, segment, timeline);
        const found = item === null || item.isEcho ? null : snippetOf(whole, item, wanted);
        if (item !== null && found !== null)
          hits.push({ id: item.id, who: item.who, snippet: found, isAbandoned: part.isAbandoned });
      }
      if (hits.length === limit || bytes >= bytesMax) return result(entryId(segment.generation, line.seq));
    }
  }
  return result(null);
}

async function* linesBack(
  store: EntryStore,
  { segment, from }: OwnPart,
  seq: number,
): AsyncGenerator<StoredLine, void> {
  for await (const lines of store.readLines(segment.ref, { seq, direction: "backwards" })) {
    for (const line of lines) {
      if (line.seq < from) return;
      yield line;
    }
  }
}

interface Word {
  /** In lower case. */
  readonly text: string;
  /** The longest part of it that JSON writes as it is; "": there is none. */
  readonly plain: string;
}

function wordsOf(query: string): readonly Word[] {
  const words = query
    .toWellFormed()
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0)
    throw new YoiError("usage", 'The argument "query" of SessionSearch needs at least one word.');
  return words.map((text) => {
    // oxlint-disable-next-line no-control-regex -- what JSON escapes
    const runs = text.split(/["\\\u0000-\u001f]/);
    return { text, plain: runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "") };
  });
}

const kindOfLine = /"kind":"([a-z_]{1,40})"/;
const kindWithinChars = 120;

/** Cheap, before a line is decoded: of a kind that brings an item, and with all words somewhere. A payload in a blob has to be looked at. */
function mayHold(line: StoredLine, words: readonly Word[]): boolean {
  const json = line.text();
  const kind = kindOfLine.exec(json.slice(0, kindWithinChars))?.[1];
  if (kind === undefined || !itemKinds.has(kind)) return false;
  if (json.includes('"blob":{')) return true;
  const text = json.toLowerCase();
  return words.every(({ plain }) => text.includes(plain));
}

async function attached(
  store: EntryStore,
  { segment }: OwnPart,
  entry: NonNullable<ReturnType<StoredLine["decode"]>>,
): Promise<LogEntry | "damaged"> {
  if (!("detached" in entry)) return entry;
  try {
    return await store.attach(segment.ref, entry);
  } catch (error) {
    if (error instanceof YoiError && error.code === "blob_damaged") return "damaged";
    throw error;
  }
}

/** Null: not all words are in it. */
function snippetOf(entry: LogEntry, item: ShownItem, words: readonly Word[]): string | null {
  const text = searchedText(entry, item);
  const lower = text.toLowerCase();
  if (!words.every((word) => lower.includes(word.text))) return null;
  const at = lower.indexOf(words[0]?.text ?? "");
  const from = Math.max(0, at - snippetCharsMax / 3);
  const cut = text.slice(from, from + snippetCharsMax).toWellFormed();
  const line = cut.replaceAll(/\s+/g, " ").trim();
  return `${from === 0 ? "" : "…"}${line}${from + snippetCharsMax < text.length ? "…" : ""}`;
}
