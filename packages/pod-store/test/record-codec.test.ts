/** Damage of the metadata file: found, placed, and never taken for good. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isJsonObject,
  jsonDepthMax,
  podName,
  segmentId,
  sessionId,
  YoiError,
  type JsonObject,
  type JsonValue,
} from "@yoi/base";
import {
  decodeRecord,
  encodeRecord,
  metadataBytesMax,
  metadataSchema,
  type StoredRecord,
} from "../src/record-codec.ts";
import type { PodRecord } from "../src/index.ts";
import { sealed } from "./sealed.ts";

const name = podName("atlas");
const path = "/data/pods/atlas/metadata.json";
const record: PodRecord = {
  name,
  pointer: {
    state: "active",
    session: sessionId("0198c0de-0000-7000-8000-000000000001"),
    segment: segmentId("0198c0de-0000-7000-8000-000000000002"),
  },
  epoch: 3,
  closedHead: {
    segment: segmentId("0198c0de-0000-7000-8000-000000000002"),
    seq: 41,
    sum: "0123456789abcdef",
  },
  manifest: { schema: 1, model: { provider: "p", id: "m/é" }, limits: [1.5, null, true, "\u2028"] },
  parent: null,
  children: [],
  reclaimed: [],
  peers: [],
  revision: 9,
  createdMs: 1_700_000_000_000,
  updatedMs: 1_700_000_000_001,
};
const good = encodeRecord(record, {});
test("a title is there where there is one, and one that was taken away leaves nothing behind", () => {
  const titled = encodeRecord({ ...record, title: "The login bug" }, {});
  const { record: read, fields } = decode(titled);
  assert.deepEqual(read, { ...record, title: "The login bug" });
  assert.deepEqual(encodeRecord(record, fields), good);
  assert.equal(refusalOf(sealed({ ...fields, title: 7 })).code, "metadata_damaged");
});

test("what answers gave is there while they give something, and leaves nothing behind", () => {
  const granted = [{ target: "/out", permission: "write", recursive: true }] as const;
  const { record: read, fields } = decode(encodeRecord({ ...record, granted }, {}));
  assert.deepEqual(read, { ...record, granted });
  assert.deepEqual(encodeRecord({ ...record, granted: [] }, fields), good);
  assert.equal(refusalOf(sealed({ ...fields, granted: [{ target: "out" }] })).code, "metadata_damaged");
});

const goodFields = JSON.parse(Buffer.from(good).toString()) as JsonObject;
const { checksum: _, ...plainFields } = goodFields;

const decode = (bytes: Uint8Array): StoredRecord => decodeRecord(bytes, name, path);

function refusalOf(bytes: Uint8Array): YoiError {
  try {
    decode(bytes);
  } catch (error) {
    assert.ok(error instanceof YoiError, String(error));
    return error;
  }
  throw new Error("it was accepted");
}

test("what is written is read back", () => {
  assert.deepEqual(decode(good).record, record);
  const pending: PodRecord = {
    ...record,
    pointer: { state: "pending", session: record.pointer.session },
    closedHead: null,
  };
  assert.deepEqual(decode(encodeRecord(pending, {})).record, pending);
});

test("a file cut at any byte is refused at its end", () => {
  const text = Buffer.from(good);
  for (let length = 0; length < text.length - 1; length += 1) {
    const refusal = refusalOf(text.subarray(0, length));
    assert.equal(refusal.code, "metadata_damaged");
    assert.equal(refusal.place?.path, path);
    // A cut inside a character is named by that character's first byte.
    const offset = refusal.place?.offset ?? -1;
    assert.ok(offset <= length && offset >= length - 4, `cut at ${length}, said ${offset}`);
  }
});

/** All files that differ from the good one in one bit, and what each decodes to: null when it is refused. */
function flips(decoder: (bytes: Uint8Array) => unknown): { index: number; bit: number; value: unknown }[] {
  const accepted: { index: number; bit: number; value: unknown }[] = [];
  for (let index = 0; index < good.length; index += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const bytes = Uint8Array.from(good);
      bytes[index] = (bytes[index] ?? 0) ^ (1 << bit);
      try {
        accepted.push({ index, bit, value: decoder(bytes) });
      } catch {
        continue;
      }
    }
  }
  return accepted;
}

test("no flipped bit is taken for good: it is refused, or changes white space only", () => {
  for (const { index, bit, value } of flips(decode)) {
    assert.deepEqual(value, decode(good), `bit ${bit} of byte ${index}`);
  }
});

test("control: without the checksum flipped bits pass as other values", () => {
  const parsed = flips((bytes) => JSON.parse(Buffer.from(bytes).toString()) as unknown);
  const wrong = parsed.filter(({ value }) => JSON.stringify(value) !== JSON.stringify(goodFields));
  assert.ok(wrong.length > 1000, `${wrong.length}`);
});

test("every refusal of a flipped bit names the file and a byte in it", () => {
  for (let index = 0; index < good.length; index += 1) {
    const bytes = Uint8Array.from(good);
    bytes[index] = 0x01;
    const { code, place } = refusalOf(bytes);
    assert.equal(code, "metadata_damaged");
    assert.ok(place?.path === path && (place.offset ?? -1) >= 0 && (place.offset ?? 0) <= good.length);
  }
});

test("the offset is that of the damage when the text breaks there", () => {
  const cases: readonly (readonly [text: string, offset: number])[] = [
    ["", 0],
    [" ", 1],
    ["{", 1],
    ["nul", 0],
    ['{"é": tru}', 7],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["{} x", 3],
    ["{}}", 2],
    ["[}", 1],
    ['{"a\u0001": 1}', 3],
    ['["\\q"]', 2],
    ["[01]", 2],
    ["[+1]", 1],
    ["\ufeff{}", 0],
    [`${"[".repeat(100_000)}`, 100_000],
  ];
  for (const [text, offset] of cases) {
    const refusal = refusalOf(Buffer.from(text));
    assert.deepEqual([refusal.code, refusal.place?.offset], ["metadata_damaged", offset], text.slice(0, 20));
  }
  assert.equal(refusalOf(Buffer.from([0x7b, 0x22, 0xc3, 0x28])).place?.offset, 2);
});

test("a right checksum does not make wrong fields right", () => {
  const wrong: readonly (readonly [key: string, value: JsonValue | undefined, at?: string])[] = [
    ["schema", 0],
    ["schema", "1"],
    ["schema", undefined],
    ["name", "other"],
    ["name", 1],
    ["revision", 0],
    ["revision", 1.5],
    ["revision", -1],
    ["pointer", null],
    ["pointer", { session: "x", segment: null }, '"session": "x"'],
    ["pointer", { session: record.pointer.session }],
    ["pointer", { session: record.pointer.session, segment: 1 }, '"segment": 1'],
    ["epoch", "1"],
    ["epoch", 2 ** 53],
    ["closed_head", undefined],
    ["closed_head", { segment: "x", seq: 1, sum: "0123456789abcdef" }, '"segment": "x"'],
    ["closed_head", { segment: record.pointer.session, seq: 1, sum: "0123456789ABCDEF" }, '"sum": "'],
    ["manifest", []],
    ["manifest", undefined],
    ["created_ms", null],
    ["updated_ms", -1],
  ];
  for (const [index, [key, value]] of wrong.entries()) {
    const fields = Object.fromEntries(
      Object.entries({ ...plainFields, [key]: value }).filter(([, v]) => v !== undefined),
    );
    const refusal = refusalOf(sealed(fields as JsonObject));
    assert.equal(refusal.code, "metadata_damaged", `${key}: ${JSON.stringify(value)}`);
    const [, , at = value === undefined ? "{" : `"${key}":`] = wrong[index] ?? [];
    const text = Buffer.from(sealed(fields as JsonObject)).subarray(refusal.place?.offset ?? -1);
    assert.ok(text.toString().startsWith(at), `${key}: ${text.subarray(0, 40).toString()}`);
  }
});

test("a newer schema is refused as newer when its checksum is right, and as damage when not", () => {
  const newer = { ...plainFields, schema: metadataSchema + 1, name: { whatever: true } };
  assert.equal(refusalOf(sealed(newer)).code, "schema_newer");
  assert.equal(refusalOf(Buffer.from(JSON.stringify({ ...newer, checksum: "0" }))).code, "metadata_damaged");
});

test("the limits of size and depth hold at n and not at n + 1", () => {
  const nested = (depth: number): JsonValue => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as JsonValue;
  assert.deepEqual(decode(sealed({ ...plainFields, deep: nested(jsonDepthMax - 1) })).record, record);
  assert.match(refusalOf(sealed({ ...plainFields, deep: nested(jsonDepthMax) })).message, /nests deeper/);
  // Inside the manifest one more level is spent already.
  const withManifest = (depth: number): Uint8Array =>
    encodeRecord({ ...record, manifest: { deep: nested(depth) } }, {});
  assert.equal(decode(withManifest(jsonDepthMax - 2)).record.revision, record.revision);
  assert.throws(() => withManifest(jsonDepthMax - 1), { code: "limit_exceeded" });

  const empty = encodeRecord({ ...record, manifest: { text: "" } }, {}).length;
  const filled = (extra: number): PodRecord => ({
    ...record,
    manifest: { text: "x".repeat(metadataBytesMax - empty + extra) },
  });
  assert.equal(encodeRecord(filled(0), {}).length, metadataBytesMax);
  assert.deepEqual(decode(encodeRecord(filled(0), {})).record, filled(0));
  assert.throws(() => encodeRecord(filled(1), {}), { code: "limit_exceeded" });
  const tooBig = Buffer.concat([Buffer.from(encodeRecord(filled(0), {})), Buffer.from(" ")]);
  assert.equal(refusalOf(tooBig).code, "metadata_damaged");
});

/** A small seeded generator (mulberry32): the same seed is the same run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const strange: readonly JsonValue[] = [
  null,
  -1,
  0,
  1e308,
  2 ** 53,
  "",
  "x",
  [],
  {},
  true,
  [[{}]],
  { __proto__: null },
];

/** Other values in the place of some field, at any depth. */
function mutated(value: JsonValue, pick: (below: number) => number): JsonValue {
  if (pick(6) === 0) return strange[pick(strange.length)] ?? null;
  if (Array.isArray(value)) return value.map((element: JsonValue) => mutated(element, pick));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(() => pick(20) !== 0);
  return Object.fromEntries(
    entries.map(([key, field]) => [key, pick(4) === 0 ? mutated(field ?? null, pick) : (field ?? null)]),
  );
}

const fuzzSeed = 20_260_801;
const fuzzCount = 8_000;

test(`${fuzzCount} damaged files (seed ${fuzzSeed}) are refused as damage or read as a well-formed record`, () => {
  const pick = seeded(fuzzSeed);
  let accepted = 0;
  for (let index = 0; index < fuzzCount; index += 1) {
    let bytes: Uint8Array;
    if (index % 2 === 0) {
      // Bytes: overwritten, cut out, doubled.
      const text = Buffer.from(good);
      const [at, length] = [pick(text.length), pick(40)];
      const kinds = [
        () => Buffer.concat([text.subarray(0, at), text.subarray(at + length)]),
        () => Buffer.concat([text.subarray(0, at + length), text.subarray(at)]),
        () => Buffer.from(text.map((byte) => (pick(200) === 0 ? pick(256) : byte))),
        () => Buffer.from(Array.from({ length: pick(200) }, () => pick(256))),
      ];
      bytes = kinds[pick(kinds.length)]?.() ?? text;
    } else {
      // Values, under a checksum that is right.
      const fields = mutated(plainFields, pick);
      bytes = isJsonObject(fields) ? sealed(fields) : Buffer.from(JSON.stringify(fields));
    }
    try {
      const { record: found, fields } = decode(bytes);
      accepted += 1;
      assert.equal(found.name, name);
      assert.deepEqual(decode(encodeRecord(found, fields)).record, found);
    } catch (error) {
      assert.ok(error instanceof YoiError, `input ${index}: ${String(error)}`);
      assert.ok(
        error.code === "metadata_damaged" || error.code === "schema_newer",
        `input ${index}: ${error.code}`,
      );
    }
  }
  assert.ok(accepted > 100 && accepted < fuzzCount / 2, `${accepted} were accepted`);
});
