/** Every field of every kind is checked: a wrong or missing one is refused by name, an unknown one is kept. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callId, type EntryBody, isJsonObject, type LogEntry } from "@yoi/base";
import { shapeOf } from "../src/entry-shape.ts";
import { inboxEntries, notice } from "./support/inbox-log.ts";
import { sampleEntries } from "./support/sample-log.ts";

/** May be absent, by path without list positions. */
const optional = new Set([
  "config.max_output_tokens",
  "config.temperature",
  "config.reasoning",
  "item.content",
  "item.reason",
  "item.images",
  "item.record",
  "attachments",
  "delivers",
  "item.provider_call_id",
  "item.provider_data",
  "item.provider_data.model",
  "projection.reasoning_before",
  "projection.images_before",
  "detail",
  "until",
]);
/** Hold any JSON. */
const open = new Set([
  "states",
  "item.provider_data.metadata",
  "item.record",
  "tools.input_schema",
  "payload",
]);
/** Hold any names. */
const named = new Set(["wire.headers"]);

interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
}

function* placesIn(value: unknown, path: readonly string[] = []): Generator<Place> {
  if (path.length > 0) yield { path, value };
  const name = nameOf(path);
  if (open.has(name)) return;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* placesIn(item, [...path, String(index)]);
  else if (isJsonObject(value))
    for (const key of Object.keys(value)) yield* placesIn(value[key], [...path, key]);
}

const nameOf = (path: readonly string[]): string => path.filter((part) => !/^\d+$/.test(part)).join(".");

/** A copy with the value at `path` replaced; `undefined` takes it away. */
function changed(value: unknown, path: readonly string[], replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? changed(item, rest, replacement) : item));
  assert.ok(isJsonObject(value));
  const { [key]: old, ...others } = value;
  const next = changed(old, rest, replacement);
  return next === undefined ? others : { ...others, [key]: next };
}

/** Fields that came after the sample was frozen. */
const images = [{ type: "image", media_type: "image/webp", data: "AAA=" }] as const;
const record = { path: "/w/a.txt", ranges: [[0, 3]] };
const newerBodies: readonly EntryBody[] = [
  {
    kind: "user_input",
    parts: [
      { type: "text", text: "see " },
      { type: "file_ref", path: "a.txt" },
    ],
    attachments: 1,
  },
  {
    kind: "projection",
    projection: { prune_before: null, reasoning_before: 7, images_before: 9 },
    reason: "reasoning_refused",
    message: "It was refused.",
  },
  {
    kind: "assistant_item",
    request: 1,
    index: 0,
    item: {
      type: "reasoning",
      text: "t",
      status: "completed",
      provider_data: { provider: "p", model: "m", metadata: {} },
    },
  },
  {
    kind: "system_item",
    item: { type: "system_item", kind: "file_attachment", source: "host", body: "b", images, record },
  },
  {
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(1, 0),
      name: "Read",
      summary: "s",
      images,
      is_error: false,
      record,
    },
  },
];
const queueBodies: readonly EntryBody[] = [
  {
    kind: "input_queued",
    parts: [
      { type: "text", text: "later" },
      { type: "file_ref", path: "a.ts" },
    ],
    when: "boundary",
    submission: "s-1",
  },
  { kind: "input_unqueued", queued: 4 },
  {
    kind: "carried",
    of: "input_queued",
    id: "3-57",
    item: { type: "user_message", parts: [{ type: "text", text: "later" }] },
    when: "run_end",
    submission: "s-2",
  },
];
const newerEntries = [...newerBodies, ...queueBodies].map((body, index): LogEntry => ({
  seq: 100 + index,
  batch: 100,
  ts: 1,
  ...body,
}));

const inboxKinds = inboxEntries
  .filter(({ kind }) => kind === "inbox_accepted" || kind === "system_item" || kind === "extension")
  .map((entry) => ({ ...entry, seq: entry.seq + 200 }));

for (const entry of [...sampleEntries, ...newerEntries, ...inboxKinds]) {
  const { seq, batch: _batch, ts: _ts, kind, ...fields } = entry;
  const shape = shapeOf(kind) ?? assert.fail();
  test(`${kind} (entry ${seq})`, () => {
    assert.equal(shape(entry), null);
    assert.equal(shape({ ...entry, later: { anything: [1] } }), null);
    for (const { path, value } of placesIn(fields)) {
      const name = path.join(".");
      // Any value is one.
      if (name === "payload") {
        assert.equal(shape(changed(entry, path, undefined)), name);
        continue;
      }
      const wrong = Array.isArray(value) ? 5 : [[]];
      assert.ok(shape(changed(entry, path, wrong)) !== null, `${name} of the wrong type was taken`);
      if (typeof value === "number") {
        assert.ok(shape(changed(entry, path, "1")) !== null, `${name} as text was taken`);
      }
      const inList = /^\d+$/.test(path.at(-1) ?? "");
      const free = optional.has(nameOf(path)) || named.has(nameOf(path.slice(0, -1)));
      if (inList) continue;
      const complaint = shape(changed(entry, path, undefined));
      if (free) assert.equal(complaint, null, `${name} may be absent`);
      else assert.equal(complaint, name, `the absence of ${name} was taken or misnamed`);
    }
  });
}

describe("values within fields", () => {
  const of = (kind: string) =>
    [...sampleEntries, ...inboxEntries, ...newerEntries].find((entry) => entry.kind === kind) ??
    assert.fail(kind);
  const cases: [string, string, unknown, boolean][] = [
    ["opened", "epoch", -1, false],
    ["opened", "epoch", 1.5, false],
    ["opened", "epoch", 2 ** 53, false],
    ["opened", "epoch", 2 ** 53 - 1, true],
    ["segment_start", "session_id", "019b76da-a800-44ae-aee1-0fe69280eea8", false],
    ["tool_started", "call", "7.02", false],
    ["tool_started", "call", "7", false],
    ["tools_changed", "digest", "ABC", false],
    ["invoke", "trigger", "wakeup", false],
    ["run_paused", "reason", "toString", false],
    ["user_input", "parts", [{ type: "image" }], false],
    ["user_input", "parts", [], true],
    ["user_input", "parts", { blob: { sha256: "0".repeat(64), bytes: 4 } }, true],
    ["user_input", "parts", { blob: { sha256: "0".repeat(63), bytes: 4 } }, false],
    ["llm_request", "through", -1, true],
    ["system_item", "delivers", 0, true],
    ["system_item", "delivers", -1, false],
    ["extension", "payload", null, true],
    ["extension", "payload", [], true],
    ["extension", "payload", "text", true],
    ["extension", "domain", null, false],
    // A payload is never moved to a blob: what looks like a reference to one is somebody's own.
    ["extension", "payload", { blob: { sha256: "0".repeat(64), bytes: 4 } }, true],
    ["inbox_accepted", "item", notice("again"), true],
    ["inbox_accepted", "item", { blob: { sha256: "0".repeat(64), bytes: 4 } }, false],
    ["inbox_accepted", "quiet", true, true],
    ["inbox_accepted", "quiet", "yes", false],
    ["inbox_accepted", "position", { blob: { sha256: "0".repeat(64), bytes: 4 } }, true],
    ["input_queued", "when", "run_end", true],
    ["input_queued", "when", "soon", false],
    ["input_queued", "parts", { blob: { sha256: "0".repeat(64), bytes: 4 } }, true],
    ["input_unqueued", "queued", -1, false],
  ];
  for (const [kind, field, value, taken] of cases) {
    test(`${kind}.${field} = ${JSON.stringify(value)} is ${taken ? "taken" : "refused"}`, () => {
      assert.equal(
        shapeOf(kind)?.({ ...of(kind), [field]: value }),
        taken
          ? null
          : kind === "user_input" && Array.isArray(value)
            ? "parts.0.type"
            : kind === "inbox_accepted" && field === "item"
              ? "item.type"
              : field,
      );
    });
  }

  test("kinds of later versions and names of Object's own have no shape", () => {
    for (const kind of ["inbox_delivered", "later", "toString", "__proto__", ""])
      assert.equal(shapeOf(kind), null);
  });
});
