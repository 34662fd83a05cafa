/** The bytes of `metadata.json`: one JSON document, readable, with a checksum over everything else in it. */
import { createHash } from "node:crypto";
import {
  canonicalJson,
  deepFreeze,
  isDepthWithin,
  isJsonObject,
  isUuidV7,
  jsonDepthMax,
  segmentId,
  sessionId,
  YoiError,
  type JsonObject,
  type JsonValue,
  type PodName,
} from "@yoi/base";
import { kinJson, readKin } from "./kin-codec.ts";
import { jsonFaultIndex } from "./json-fault.ts";
import type { ActivePointer, ClosedHead, PodRecord } from "./store.ts";

/** The version written. In every version `checksum` is taken in the same way, so that damage and a newer file are told apart. */
export const metadataSchema = 2;
/** A greater file is refused, unread and unwritten. */
export const metadataBytesMax = 4 * 1024 * 1024;

/** A decoded file: the record, and every field as it stands in the file, for the fields of others. */
export interface StoredRecord {
  readonly record: PodRecord;
  readonly fields: JsonObject;
}

/** The file of a record. `kept` are the fields found in the file before: those that are not ours stay. */
export function encodeRecord(record: PodRecord, kept: JsonObject): Uint8Array {
  const { checksum: _, ...others } = kept;
  const pointer = {
    session: record.pointer.session,
    segment: record.pointer.state === "active" ? record.pointer.segment : null,
  };
  const fields: JsonObject = {
    ...others,
    schema: metadataSchema,
    name: record.name,
    revision: record.revision,
    pointer: unlessSame(others["pointer"], pointer),
    epoch: record.epoch,
    closed_head:
      record.closedHead === null ? null : unlessSame(others["closed_head"], { ...record.closedHead }),
    manifest: record.manifest,
    ...kinJson(record),
    created_ms: record.createdMs,
    updated_ms: record.updatedMs,
  };
  if (!isDepthWithin(fields, jsonDepthMax)) {
    throw new YoiError(
      "limit_exceeded",
      `The metadata of the Pod ${record.name} would nest deeper than ${jsonDepthMax} levels: nothing was written.`,
    );
  }
  const text = `${JSON.stringify({ ...fields, checksum: checksumOf(fields) }, null, 2)}\n`;
  const bytes = Buffer.from(text);
  if (bytes.length > metadataBytesMax) {
    throw new YoiError(
      "limit_exceeded",
      `The metadata of the Pod ${record.name} would be ${bytes.length} bytes, over the limit of ${metadataBytesMax}: nothing was written.`,
    );
  }
  return bytes;
}

/** The value as it stands in the file, fields of others included, when ours says the same; else ours. */
function unlessSame(stored: JsonValue | undefined, ours: JsonObject): JsonObject {
  if (!isJsonObject(stored)) return ours;
  return Object.keys(ours).every((key) => stored[key] === ours[key]) ? stored : ours;
}

/** Reads a file back. Throws metadata_damaged (file and byte offset) or schema_newer. */
export function decodeRecord(bytes: Uint8Array, name: PodName, path: string): StoredRecord {
  const damaged = (offset: number, reason: string): YoiError => damagedError(name, path, offset, reason);
  if (bytes.length > metadataBytesMax)
    throw damaged(metadataBytesMax, `it is over ${metadataBytesMax} bytes`);
  if (bytes.length === 0) throw damaged(0, "it is empty");
  const text = decodeText(bytes);
  if (typeof text === "number") throw damaged(text, "it is not UTF-8");
  const fields = parse(text);
  if (fields === undefined)
    throw damaged(byteOffset(text, jsonFaultIndex(text)), "it is not JSON from there on");
  if (!isJsonObject(fields)) throw damaged(0, "it is not a JSON object");
  if (!isDepthWithin(fields, jsonDepthMax)) throw damaged(0, `it nests deeper than ${jsonDepthMax} levels`);

  const fieldOffset = (key: string): number =>
    byteOffset(text, Math.max(0, text.indexOf(`\n  ${JSON.stringify(key)}:`) + 1));
  const { checksum, ...others } = fields;
  if (checksum !== checksumOf(others)) {
    const reason =
      checksum === undefined ? "its checksum is missing" : "its checksum does not match its content";
    throw damaged(fieldOffset("checksum"), reason);
  }
  const schema = fields["schema"];
  if (!isCount(schema) || schema === 0) throw damaged(fieldOffset("schema"), "schema is not a version");
  if (schema > metadataSchema) {
    throw new YoiError(
      "schema_newer",
      `The metadata of the Pod ${name} in ${path} has schema ${schema}, and this yoi knows ${metadataSchema}: use a newer yoi.`,
      { place: { path } },
    );
  }
  const field = <T>(key: string, read: (value: JsonValue | undefined) => T | undefined): T => {
    const value = read(fields[key]);
    if (value === undefined)
      throw damaged(fieldOffset(key), `its field ${key} is missing or of the wrong type`);
    return value;
  };
  if (field("name", readText) !== name) throw damaged(fieldOffset("name"), "it names another Pod");
  return deepFreeze({
    fields,
    record: {
      name,
      pointer: field("pointer", readPointer),
      epoch: field("epoch", readCount),
      closedHead: field("closed_head", readClosedHead),
      manifest: field("manifest", (value) => (isJsonObject(value) ? value : undefined)),
      ...readKin(field, schema),
      revision: field("revision", (value) => (value === 0 ? undefined : readCount(value))),
      createdMs: field("created_ms", readTime),
      updatedMs: field("updated_ms", readTime),
    },
  });
}

function damagedError(name: PodName, path: string, offset: number, reason: string): YoiError {
  return new YoiError(
    "metadata_damaged",
    `The metadata of the Pod ${name} is damaged at byte ${offset} of ${path} (${reason}): put back a good copy of that file, or move it away and start a new Pod; the session logs are untouched.`,
    { place: { path, offset } },
  );
}

/** SHA-256, in lower-case hex, over the canonical JSON of all fields but `checksum`. */
function checksumOf(fields: JsonObject): string {
  return createHash("sha256").update(canonicalJson(fields)).digest("hex");
}

/** The text, or the offset of the first byte that is not UTF-8. */
function decodeText(bytes: Uint8Array): string | number {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lossy = Buffer.from(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    let at = 0;
    while (at < bytes.length && lossy[at] === bytes[at]) at += 1;
    return at;
  }
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function byteOffset(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function readCount(value: JsonValue | undefined): number | undefined {
  return isCount(value) ? value : undefined;
}

function readTime(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function readText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readPointer(value: JsonValue | undefined): ActivePointer | undefined {
  if (!isJsonObject(value) || typeof value["session"] !== "string" || !isUuidV7(value["session"]))
    return undefined;
  const session = sessionId(value["session"]);
  if (value["segment"] === null) return { state: "pending", session };
  if (typeof value["segment"] !== "string" || !isUuidV7(value["segment"])) return undefined;
  return { state: "active", session, segment: segmentId(value["segment"]) };
}

function readClosedHead(value: JsonValue | undefined): ClosedHead | null | undefined {
  if (value === null) return null;
  if (!isJsonObject(value)) return undefined;
  const { segment, seq, sum } = value;
  if (typeof segment !== "string" || !isUuidV7(segment) || !isCount(seq)) return undefined;
  if (typeof sum !== "string" || !/^[0-9a-f]{16}$/.test(sum)) return undefined;
  return { segment: segmentId(segment), seq, sum };
}
