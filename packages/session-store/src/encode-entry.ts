/** From a body to the bytes of its line, its payload moved to a blob when the line would pass the limit; and back, as the proof. */
import { YoiError, type Entry, type EntryBody } from "@yoi/base";
import type { Blobs } from "./blobs.ts";
import { type Redact, redactEntry } from "./redact-entry.ts";
import { encodeLine, lineJson, type EncodedLine } from "./line.ts";
import {
  decodeEntry,
  entryJson,
  payloadFieldOf,
  type BlobReference,
  type DecodedEntry,
  type EntryPlace,
} from "./log-entry.ts";

/** The longest line, LF included. */
export const entryBytesMax = 1024 * 1024;

/** What of that an `extension` leaves free, whose payload no blob takes: carried on to another segment its line says more. */
const carriedRoomBytes = 64;
/** The longest line of an `extension`, LF included. */
export const extensionBytesMax = entryBytesMax - carriedRoomBytes;

export interface LinePlace extends EntryPlace {
  readonly previousSum: string;
}

export interface EncodedEntry extends EncodedLine {
  /** Decoded from `bytes`. */
  readonly entry: Entry;
}

/** Where and how entries of a session are put down. */
export interface Encoding {
  readonly blobs: Blobs;
  /** Null: entries are stored as they come. */
  readonly redact: Redact | null;
}

/**
 * Encodes one entry, without the credentials that are known. A payload over the limit is durable in its blob on return. Throws `limit_exceeded` when what is left is too
 * large still, and a TypeError for a body that is not a valid entry (a bug of the caller).
 */
export async function encodeEntry(
  place: LinePlace,
  body: EntryBody,
  { blobs, redact }: Encoding,
): Promise<EncodedEntry> {
  const { kind } = body;
  const { fields, json } = redacted(place, body, redact);
  const line = encodeLine(json, place.previousSum);
  const bytesMax = kind === "extension" ? extensionBytesMax : entryBytesMax;
  if (line.bytes.length <= bytesMax) return { ...line, entry: whole(decoded(line, place)) };

  const field = payloadFieldOf(kind);
  // The field keeps its place among the others.
  const slim = (blob: BlobReference): object => (field === null ? fields : { ...fields, [field]: { blob } });
  const bare = lineOf(place, kind, slim({ sha256: "0".repeat(64), bytes: Number.MAX_SAFE_INTEGER }));
  if (field === null || bare.bytes.length > bytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `A log entry of kind ${kind} would have ${bare.bytes.length} bytes, and the limit is ${bytesMax}: make it smaller.`,
    );
  }
  // Checked whole before any byte is stored.
  whole(decoded(line, place));
  const detached = lineOf(place, kind, slim(await blobs.write(JSON.stringify(fields[field]))));
  const entry = decoded(detached, place);
  if (!("detached" in entry)) throw new TypeError(`the ${field} of a ${kind} entry was not moved to a blob`);
  return { ...detached, entry: whole(await blobs.attach(entry)) };
}

/** One look at the encoded line; only where something is in it, each field is looked through. */
function redacted(
  place: LinePlace,
  body: EntryBody,
  redact: Redact | null,
): { readonly fields: Readonly<Record<string, unknown>>; readonly json: string } {
  const { kind, ...fields } = body;
  const json = entryJson(place, kind, { ...fields });
  if (redact === null || redact(json) === json) return { fields: { ...fields }, json };
  const clean = redactEntry(body, redact);
  return { fields: clean, json: entryJson(place, kind, clean) };
}

function lineOf(place: LinePlace, kind: string, fields: object): EncodedLine {
  return encodeLine(entryJson(place, kind, { ...fields }), place.previousSum);
}

function decoded(line: EncodedLine, { seq, batch }: LinePlace): DecodedEntry {
  const bytes = Buffer.from(line.bytes.buffer, line.bytes.byteOffset, line.bytes.length - 1);
  const result = decodeEntry(lineJson(bytes), seq, batch);
  if ("wrong" in result) throw new TypeError(`not a valid log entry: ${result.wrong}`);
  return result.entry;
}

function whole(entry: DecodedEntry): Entry {
  if ("detached" in entry || "opaque" in entry) {
    throw new TypeError(`not an entry that this version writes: ${entry.kind}`);
  }
  return entry;
}
