/** Reading a Pod's own session again: items from any one on, as far as one answer goes. */
import { cutUtf8, entryId, utf8Length } from "@yoi/base";
import { type EntryStore, readEntries } from "./find-entry.ts";
import { type OwnPart, type OwnSession, ownSession, placeOf, type SessionPlace } from "./own-session.ts";
import { type ShownItem, shownItem } from "./shown-item.ts";

/** Characters of each item in compact mode. */
export const compactCharsMax = 4_000;
/** Below the bound on every tool's output, so that what says where to go on is never cut. */
export const readBytesMax = 40 * 1024;
/** Entries that one call passes over, most of which bring no item. */
export const passedEntriesMax = 20_000;

export interface ReadRequest {
  readonly from: string;
  readonly count: number;
  readonly mode: "compact" | "full";
  /** Characters of the first item that are left out. */
  readonly offset: number;
  readonly signal: AbortSignal;
}

export interface ReadResult {
  readonly content: string;
  readonly shown: number;
  /** Where it goes on; null: at the end of what there is. */
  readonly next: { readonly from: string; readonly offset: number } | null;
  readonly isAbandoned: boolean;
}

/** Throws target_unknown, io_failed, blob_damaged, and the signal's reason. */
export async function readSession(
  store: EntryStore,
  place: SessionPlace,
  { from, count, mode, offset, signal }: ReadRequest,
): Promise<ReadResult> {
  const session = await ownSession(store, place);
  const start = await placeOf(store, session, from);
  const isAbandoned = session.parts[start.part]?.isAbandoned === true;
  const page = new Page(mode, offset);
  const result = (next: ReadResult["next"]): ReadResult => {
    return { content: page.text, shown: page.shown, next, isAbandoned };
  };
  let passed = 0;
  for await (const { item, position } of itemsFrom(store, session, start)) {
    signal.throwIfAborted();
    passed += 1;
    if (page.shown === count || passed > passedEntriesMax) return result({ from: position, offset: 0 });
    if (item === null) continue;
    const rest = page.add(item);
    if (rest !== null) return result({ from: position, offset: rest });
  }
  return result(null);
}

interface PassedEntry {
  readonly item: ShownItem | null;
  /** Its id in its own segment: it also names what is no item. */
  readonly position: string;
}

/** Onwards to the end of the part; in the ancestry then on to what came out of it. */
async function* itemsFrom(
  store: EntryStore,
  { parts, timeline }: OwnSession,
  start: { readonly part: number; readonly seq: number },
): AsyncGenerator<PassedEntry, void> {
  let seq = start.seq;
  for (let index = start.part; index >= 0; index -= 1) {
    const part: OwnPart | undefined = parts[index];
    if (part === undefined) return;
    const { segment, through } = part;
    for await (const entry of readEntries(store, segment.ref, { seq, direction: "onwards" })) {
      if (entry.seq > through) break;
      const item = shownItem(entry, segment, timeline);
      yield { item, position: entryId(segment.generation, entry.seq) };
    }
    if (part.isAbandoned) return;
    seq = 0;
  }
}

const indent = "    ";

/** Text of one answer. What was said stands indented, so that it cannot pass for the lines that say who said what. */
class Page {
  text = "";
  shown = 0;
  readonly #mode: ReadRequest["mode"];
  #offset: number;

  constructor(mode: ReadRequest["mode"], offset: number) {
    this.#mode = mode;
    this.#offset = offset;
  }

  /** How many characters of the item come before what is still to be shown where there is no room for all of it; null: it is done. */
  add({ id, who, text, isEcho }: ShownItem): number | null {
    const from = Math.min(this.#offset, text.length);
    const first = this.shown === 0;
    const head = `${id} ${who}${from === 0 ? "" : `, from character ${from}`}`;
    const last = isEcho ? from : this.#mode === "compact" ? from + compactCharsMax : Infinity;
    const wanted = text.slice(from, last);
    const room = readBytesMax - utf8Length(this.text) - utf8Length(head) - notesBytes;
    const shown = fitting(wanted, room);
    // An item that is cut stands first, so that all of the room is its.
    if (shown.chars < wanted.length && !first) return 0;
    this.#offset = 0;
    this.shown += 1;
    this.text += `${first ? "" : "\n"}${head}${shown.text}`;
    if (shown.chars < wanted.length) return from + shown.chars;
    const left = text.length - from - wanted.length;
    if (isEcho) this.text += `\n${indent}[what a look back showed is where it was said]`;
    else if (left > 0)
      this.text += `\n${indent}[${left} more characters: SessionRead from ${id}, mode full, offset ${from + wanted.length}]`;
    return null;
  }
}

/** For the notes behind an item. */
const notesBytes = 200;

/** As much of the text as has room, indented, and how many of its characters that is. */
function fitting(text: string, bytesMax: number): { readonly text: string; readonly chars: number } {
  let [out, bytes, chars] = ["", 0, 0];
  for (const line of text === "" ? [] : text.split("\n")) {
    const room = bytesMax - bytes - indent.length - 1;
    if (room <= 0) return { text: out, chars };
    const kept = cutUtf8(line, room);
    out += `\n${indent}${kept}`;
    bytes += indent.length + 1 + utf8Length(kept);
    chars += kept.length;
    if (kept.length < line.length) return { text: out, chars };
    // The end of the line, which the last one has not.
    if (chars < text.length) chars += 1;
  }
  return { text: out, chars };
}
