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
import { grantedJson, kinJson, readGranted, readKin } from "./kin-codec.ts";
import { jsonFaultIndex } from "./json-fault.ts";
import { jsonPlaceIndex, pathText, type JsonPath } from "./json-place.ts";
import { StoredField } from "./stored-field.ts";
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
  const { checksum: _, title: _title, granted: _granted, ...others } = kept;
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
    ...(record.title === undefined ? {} : { title: record.title }),
    ...grantedJson(record),
    ...kinJson(record, others),
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

/** The file of a record as it may be given away: without the token that its Pod shows its parent. Throws as decodeRecord does. */
export function withoutToken(bytes: Uint8Array, name: PodName, path: string): Uint8Array {
  const { record, fields } = decodeRecord(bytes, name, path);
  if (record.parent === null) return bytes;
  return encodeRecord({ ...record, parent: { ...record.parent, token: "" } }, fields);
}

/** The value as it stands in the file, fields of others included, when ours says the same; else ours. */
function unlessSame(stored: JsonValue | undefined, ours: JsonObject): JsonObject {
  if (!isJsonObject(stored)) return ours;
  return Object.keys(ours).every((key) => stored[key] === ours[key]) ? stored : ours;
}

/**
 * Reads a file back. Throws metadata_damaged (file and byte offset) or schema_newer.
 * @param counterMax the greatest epoch and revision that it may have
 */
export function decodeRecord(
  bytes: Uint8Array,
  name: PodName,
  path: string,
  counterMax = Number.MAX_SAFE_INTEGER,
): StoredRecord {
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

  const offsetOf = (path: JsonPath): number => byteOffset(text, jsonPlaceIndex(text, path));
  const document = new StoredField(fields, (path, reason) =>
    damaged(offsetOf(path), `its field ${pathText(path)} ${reason}`),
  );
  const { checksum, ...others } = fields;
  if (checksum !== checksumOf(others)) {
    const reason =
      checksum === undefined ? "its checksum is missing" : "its checksum does not match its content";
    throw damaged(offsetOf(["checksum"]), reason);
  }
  const schema = document.field("schema").count(1);
  if (schema > metadataSchema) {
    throw new YoiError(
      "schema_newer",
      `The metadata of the Pod ${name} in ${path} has schema ${schema}, and this yoi knows ${metadataSchema}: use a newer yoi.`,
      { place: { path } },
    );
  }
  if (document.field("name").text() !== name) document.field("name").refuse("names another Pod");
  return deepFreeze({
    fields,
    record: {
      name,
      pointer: readPointer(document.field("pointer")),
      epoch: document.field("epoch").count(0, counterMax),
      closedHead: readClosedHead(document.field("closed_head")),
      manifest: document.field("manifest").object(),
      ...(fields["title"] === undefined ? {} : { title: document.field("title").text() }),
      ...readGranted(document),
      ...readKin(document, schema, name),
      revision: document.field("revision").count(1, counterMax),
      createdMs: document.field("created_ms").time(),
      updatedMs: document.field("updated_ms").time(),
    },
  });
}

function damagedError(name: PodName, path: string, offset: number, reason: string): YoiError {
  return new YoiError(
    "metadata_damaged",
    `The metadata of the Pod ${name} is damaged at byte ${offset} of ${path} (${reason}): put back a good copy of that file, or move it away and start a new Pod; the session logs are untouched. An older copy is refused where the Pod went on to another segment since.`,
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

function readPointer(field: StoredField): ActivePointer {
  const session = sessionId(field.field("session").text(isUuidV7));
  const segment = field.field("segment");
  if (segment.isNull) return { state: "pending", session };
  return { state: "active", session, segment: segmentId(segment.text(isUuidV7)) };
}

function readClosedHead(field: StoredField): ClosedHead | null {
  if (field.isNull) return null;
  return {
    segment: segmentId(field.field("segment").text(isUuidV7)),
    seq: field.field("seq").count(),
    sum: field.field("sum").text((sum) => /^[0-9a-f]{16}$/.test(sum)),
  };
}
