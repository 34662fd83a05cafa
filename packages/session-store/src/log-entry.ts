/** Log entry: from a body to the JSON of its line, and from that JSON back to a checked and frozen entry. */
import { isJsonObject, type Entry, type JsonValue, type LogEntry } from "@yoi/base";
import { blobReference, shapeOf } from "./entry-shape.ts";

/** Deeper JSON is refused: recursion over stored values must have an end. */
export const entryDepthMax = 128;

/** Where a payload lies that was too large for its line. */
export interface BlobReference {
  readonly sha256: string;
  readonly bytes: number;
}

/** An entry whose payload lies in a blob: whole only together with it. */
export interface DetachedEntry {
  readonly detached: true;
  readonly seq: number;
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
  ["assistant_item", "item"],
  ["tool_result", "item"],
  ["system_item", "item"],
  ["tools_changed", "tools"],
]);

/** Field names that tell the forms of a decoded entry apart. */
const reservedFields = ["opaque", "detached"];

/** The field of a kind that may grow without bound; null when the kind has none. */
export function payloadFieldOf(kind: string): PayloadField | null {
  return payloadFields.get(kind) ?? null;
}

/**
 * The JSON of an entry without its checksum, `seq`, `ts` and `kind` first.
 * @param fields every other field; JSON carries them as they are.
 */
export function entryJson(
  seq: number,
  ts: number,
  kind: string,
  fields: Readonly<Record<string, unknown>>,
): string {
  const rest = JSON.stringify(fields).slice(1);
  return `{"seq":${seq},"ts":${ts},"kind":${JSON.stringify(kind)}${rest === "}" ? rest : `,${rest}`}`;
}

/** The JSON of an entry read from a log: for what `JSON.stringify` once wrote, the same bytes again. */
export function jsonOfEntry(entry: LogEntry): string {
  if ("opaque" in entry) return entryJson(entry.seq, entry.ts, entry.kind, entry.fields);
  const { seq, ts, kind, ...fields } = entry;
  return entryJson(seq, ts, kind, fields);
}

export type Decoded<T> = { readonly entry: T } | { readonly wrong: string };

/** Checks the JSON of a line and gives the entry, frozen all the way down. `wrong` completes the sentence "the line is damaged: ...". */
export function decodeEntry(json: string, seq: number): Decoded<DecodedEntry> {
  const parsed = parse(json);
  if ("wrong" in parsed) return parsed;
  const { entry: record } = parsed;
  const { ts, kind } = record;
  // Compared as text: no other spelling of the number, no other order, and no second `seq`, `ts` or `kind` further on.
  const head = `{"seq":${seq},"ts":${String(ts)},"kind":${JSON.stringify(kind)}`;
  if (record["seq"] !== seq || !Number.isSafeInteger(ts) || typeof kind !== "string") {
    return { wrong: `it is not entry ${seq}` };
  }
  if (!json.startsWith(head)) return { wrong: "it does not begin with seq, ts and kind" };
  if (Object.hasOwn(record, "sum")) return { wrong: "it has a second checksum" };
  return entryOf(record, seq, Number(ts), kind);
}

function parse(json: string): Decoded<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { wrong: "it is not valid JSON" };
  }
  if (!isJsonObject(value)) return { wrong: "it is not a JSON object" };
  if (!freezeWithin(value, entryDepthMax))
    return { wrong: `it is nested deeper than ${entryDepthMax} levels` };
  return { entry: value };
}

function entryOf(
  record: Readonly<Record<string, unknown>>,
  seq: number,
  ts: number,
  kind: string,
): Decoded<DecodedEntry> {
  const shape = shapeOf(kind);
  if (shape === null) {
    const { seq: _seq, ts: _ts, kind: _kind, ...fields } = record;
    // The fields came out of JSON.parse, so they are JSON values.
    return {
      entry: Object.freeze({
        seq,
        ts,
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
    return { entry: { detached: true, seq, kind, field, blob, fields: record } };
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
  if (!freezeWithin(payload, entryDepthMax))
    return { wrong: `it is nested deeper than ${entryDepthMax} levels` };
  const whole = Object.freeze({ ...detached.fields, [detached.field]: payload });
  const complaint = shapeOf(detached.kind)?.(whole) ?? null;
  if (complaint !== null || blobReference(payload) === null) {
    return { wrong: `field ${complaint ?? detached.field} of ${detached.kind} is not valid` };
  }
  return { entry: whole as unknown as Entry };
}

/** Freezes a value from JSON.parse all the way down; false when it is deeper than `levels`. */
function freezeWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  for (const field of Object.values(value)) {
    if (typeof field === "object" && field !== null && !freezeWithin(field, levels - 1)) return false;
  }
  Object.freeze(value);
  return true;
}
