/** Log entry: from a body to the JSON of its line, and from that JSON back to a checked and frozen entry. */
import {
  deepFreeze,
  isDepthWithin,
  isJsonObject,
  jsonDepthMax,
  type Entry,
  type JsonValue,
  type LogEntry,
  type SegmentOrigin,
  type SegmentStart,
} from "@yoi/base";
import { blobReference, shapeOf } from "./entry-shape.ts";

/** Where a payload lies that was too large for its line. */
export interface BlobReference {
  readonly sha256: string;
  readonly bytes: number;
}

/** An entry whose payload lies in a blob: whole only together with it. */
export interface DetachedEntry {
  readonly detached: true;
  readonly seq: number;
  readonly batch: number;
  readonly kind: string;
  /** The field that the blob stands for. */
  readonly field: PayloadField;
  readonly blob: BlobReference;
  /** The entry's fields, with the reference in place of the payload. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export type DecodedEntry = LogEntry | DetachedEntry;
export type PayloadField = "item" | "parts" | "prompt" | "tools";

const payloadFields = new Map<string, PayloadField>([
  ["segment_start", "prompt"],
  ["user_input", "parts"],
  ["input_queued", "parts"],
  ["assistant_item", "item"],
  ["tool_result", "item"],
  ["system_item", "item"],
  ["carried", "item"],
  ["tools_changed", "tools"],
]);

/** Field names that tell the forms of a decoded entry apart. */
const reservedFields = ["opaque", "detached"];

/** The field of a kind that may grow without bound; null when the kind has none. */
export function payloadFieldOf(kind: string): PayloadField | null {
  return payloadFields.get(kind) ?? null;
}

/** The entry of another segment that the one with this start goes on from; null: it goes on from none, or is no start. */
export function originOf(start: DecodedEntry | undefined): SegmentOrigin | null {
  if (start === undefined || "opaque" in start || start.kind !== "segment_start") return null;
  // The shape of its kind has been checked field by field, but for the payload.
  const { compacted_from, forked_from } =
    "detached" in start ? (start.fields as unknown as SegmentStart) : start;
  return compacted_from ?? forked_from ?? null;
}

/** Where an entry stands: what its line says before the kind. */
export interface EntryPlace {
  readonly seq: number;
  /** The `seq` of the first entry of its write. */
  readonly batch: number;
  readonly ts: number;
}

/**
 * The JSON of an entry without its checksum, `seq`, `batch`, `ts` and `kind` first.
 * @param fields every other field; JSON carries them as they are.
 */
export function entryJson(
  place: EntryPlace,
  kind: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const rest = JSON.stringify(fields).slice(1);
  return `${headOf(place.seq, place.batch, place.ts, kind)}${rest === "}" ? rest : `,${rest}`}`;
}

function headOf(seq: number, batch: number, ts: number, kind: string): string {
  return `{"seq":${seq},"batch":${batch},"ts":${ts},"kind":${JSON.stringify(kind)}`;
}

const lineHead = /^\{"seq":\d{1,16},"batch":(\d{1,16}),"ts":/;
const lineHeadBytesMax = 60;

/** The `batch` that a line names, read from its first bytes alone; null when those are not the head of a line. */
export function batchOfLine(line: Buffer): number | null {
  const batch = lineHead.exec(line.toString("latin1", 0, lineHeadBytesMax))?.[1];
  return batch === undefined ? null : Number(batch);
}

/** The JSON of an entry read from a log: for what `JSON.stringify` once wrote, the same bytes again. */
export function jsonOfEntry(entry: LogEntry): string {
  if ("opaque" in entry) return entryJson(entry, entry.kind, entry.fields);
  const { seq, batch, ts, kind, ...fields } = entry;
  return entryJson({ seq, batch, ts }, kind, fields);
}

export type Decoded<T> = { readonly entry: T } | { readonly wrong: string };

/**
 * Checks the JSON of a line and gives the entry, frozen all the way down. `wrong` completes the sentence "the line is damaged: ...".
 * @param previousBatch the `batch` of the entry before: this one goes on with it or begins its own. For seq 0 there is none: 0.
 */
export function decodeEntry(json: string, seq: number, previousBatch: number): Decoded<DecodedEntry> {
  const parsed = parse(json);
  if ("wrong" in parsed) return parsed;
  const { entry: record } = parsed;
  const { batch, ts, kind } = record;
  if (record["seq"] !== seq || !Number.isSafeInteger(ts) || typeof kind !== "string") {
    return { wrong: `it is not entry ${seq}` };
  }
  if (batch !== seq && batch !== previousBatch) {
    return { wrong: `it belongs to no write that can hold entry ${seq}` };
  }
  const place = { seq, batch: Number(batch), ts: Number(ts) };
  // Compared as text: no other spelling of the numbers, no other order, and no second `seq`, `batch`, `ts` or `kind` further on.
  if (!json.startsWith(headOf(place.seq, place.batch, place.ts, kind))) {
    return { wrong: "it does not begin with seq, batch, ts and kind" };
  }
  if (Object.hasOwn(record, "sum")) return { wrong: "it has a second checksum" };
  return entryOf(record, place, kind);
}

const tooDeep = `it is nested deeper than ${jsonDepthMax} levels`;

function parse(json: string): Decoded<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { wrong: "it is not valid JSON" };
  }
  if (!isJsonObject(value)) return { wrong: "it is not a JSON object" };
  if (!isDepthWithin(value, jsonDepthMax)) return { wrong: tooDeep };
  return { entry: deepFreeze(value) };
}

function entryOf(
  record: Readonly<Record<string, unknown>>,
  place: EntryPlace,
  kind: string,
): Decoded<DecodedEntry> {
  const shape = shapeOf(kind);
  if (shape === null) {
    const { seq: _seq, batch: _batch, ts: _ts, kind: _kind, ...fields } = record;
    // The fields came out of JSON.parse, so they are JSON values.
    return {
      entry: Object.freeze({
        ...place,
        kind,
        opaque: true,
        fields: Object.freeze(fields) as { [key: string]: JsonValue },
      }),
    };
  }
  const complaint = reservedFields.find((name) => Object.hasOwn(record, name)) ?? shape(record);
  if (complaint !== null) return { wrong: `field ${complaint} of ${kind} is not valid` };
  const field = payloadFieldOf(kind);
  const payload = field === null ? undefined : record[field];
  if (field !== null && blobReference(payload) === null) {
    const { blob } = payload as { blob: BlobReference };
    const { seq, batch } = place;
    return { entry: { detached: true, seq, batch, kind, field, blob, fields: record } };
  }
  // The shape of its kind has been checked field by field.
  return { entry: record as unknown as Entry };
}

/** Puts a blob's JSON back into its entry. */
export function attachPayload(detached: DetachedEntry, json: string): Decoded<LogEntry> {
  let payload: unknown;
  try {
    payload = JSON.parse(json);
  } catch {
    return { wrong: "it is not valid JSON" };
  }
  if (!isDepthWithin(payload, jsonDepthMax)) return { wrong: tooDeep };
  const whole = Object.freeze({ ...detached.fields, [detached.field]: deepFreeze(payload) });
  const complaint = shapeOf(detached.kind)?.(whole) ?? null;
  if (complaint !== null || blobReference(payload) === null) {
    return { wrong: `field ${complaint ?? detached.field} of ${detached.kind} is not valid` };
  }
  return { entry: whole as unknown as Entry };
}
