/** The nouns: names, canonical text, bounds of text, errors. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  addUsage,
  canonicalJson,
  cutUtf8,
  deepFreeze,
  escapeControls,
  isDepthWithin,
  isUuidV7,
  jsonDepthMax,
  itemOf,
  messageOf,
  noUsage,
  podName,
  subtractUsage,
  utf8Length,
  YoiError,
} from "../src/index.ts";

test("W-54: a Pod name is 1 to 64 ASCII letters, digits, dash, underscore or dot, without a leading dot or dash", () => {
  for (const good of ["a", "A-1_b.c", "_x", "9", "x".repeat(64)]) assert.equal(podName(good), good);
  for (const bad of ["", ".a", "-a", "a/b", "..", "ä", "a b", "a\n", "x".repeat(65), "a\0"]) {
    assert.throws(() => podName(bad), { code: "pod_name_invalid" }, JSON.stringify(bad));
  }
});

test("only lower-case version 7 UUIDs are ids", () => {
  assert.equal(isUuidV7("01a20050-9ff4-77bf-b7c1-f1fcf1d494c7"), true);
  for (const bad of ["01A20050-9FF4-77BF-B7C1-F1FCF1D494C7", "01a20050-9ff4-47bf-b7c1-f1fcf1d494c7", "x"]) {
    assert.equal(isUuidV7(bad), false);
  }
});

test("canonical JSON does not depend on the order of keys, leaves out what is absent, and reads back as the same value", () => {
  assert.equal(canonicalJson({ b: 1, a: [{ d: null, c: undefined }, "é"] }), '{"a":[{"d":null},"é"],"b":1}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(text)), text);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test("a cut is the longest prefix within the bound that ends at a character", () => {
  assert.equal(cutUtf8("aé€😀", 0), "");
  for (const [bytes, want] of [
    [1, "a"],
    [2, "a"],
    [3, "aé"],
    [5, "aé"],
    [6, "aé€"],
    [9, "aé€"],
    [10, "aé€😀"],
    [99, "aé€😀"],
  ] as const) {
    assert.equal(cutUtf8("aé€😀", bytes), want, String(bytes));
  }
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(40), (text, bytes) => {
      const cut = cutUtf8(text, bytes);
      assert.ok(text.startsWith(cut) && utf8Length(cut) <= bytes);
      const [next] = text.slice(cut.length);
      assert.ok(next === undefined || utf8Length(cut + next) > bytes);
    }),
    { seed: 7, numRuns: 500 },
  );
});

test("no control or bidi character survives escaping, newline and tab only when asked", () => {
  const nasty = "a\u001b[2J\r\n\tb\u0007\u202ec\u200f\u2028d\u009b\u2066";
  assert.equal(
    escapeControls(nasty),
    "a\\u001b[2J\\u000d\\u000a\\u0009b\\u0007\\u202ec\\u200f\\u2028d\\u009b\\u2066",
  );
  assert.equal(escapeControls("a\n\tb\r", "newline-tab"), "a\n\tb\\u000d");
});

test("what nobody would see is shown as an escape, and a joiner stays where it shapes what is read", () => {
  const table: readonly [string, string][] = [
    ["use\u200br", "use\\u200br"],
    ["use\u200cr", "use\\u200cr"],
    ["use\u200dr", "use\\u200dr"],
    ["use\u2060r\ufeff", "use\\u2060r\\ufeff"],
    ["\u200da\u200d", "\\u200da\\u200d"],
    ["co\u00ad\u2064\u180e\u206f", "co\\u00ad\\u2064\\u180e\\u206f"],
    ["a\u{e0041}\u{e007f}", "a\\u{e0041}\\u{e007f}"],
    [
      "👩\u200d💻 👩🏽\u200d💻 ❤️\u200d🔥 👨\u200d👩\u200d👧",
      "👩\u200d💻 👩🏽\u200d💻 ❤️\u200d🔥 👨\u200d👩\u200d👧",
    ],
    ["می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"],
    ["💻\u200d", "💻\\u200d"],
    ["💻\u200da", "💻\\u200da"],
    ["💻\u200d\u200d💻", "💻\\u200d\\u200d💻"],
    ["API\u200cها خانهٔ\u200cما ی\u200ca", "API\u200cها خانهٔ\u200cما ی\u200ca"],
    ["അവന\u0d4d\u200d ", "അവന\u0d4d\u200d "],
    ["ü ß 漢字 é é ✅ ❤️", "ü ß 漢字 é é ✅ ❤️"],
  ];
  for (const keep of ["none", "newline-tab"] as const)
    for (const [text, shown] of table) assert.equal(escapeControls(text, keep), shown, JSON.stringify(shown));
});

test("an error has its kind from its code, and anything thrown has a text", () => {
  const error = new YoiError("disk_full", "Full.", { place: { path: "/x", line: 1 } });
  assert.deepEqual(
    [error.kind, error.code, error.place?.line, error.name],
    ["unavailable", "disk_full", 1, "YoiError"],
  );
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const table: readonly [unknown, string][] = [
    [error, "Full."],
    ["text", "text"],
    [{ a: 1 }, '{"a":1}'],
    [undefined, "undefined"],
    [circular, "an unprintable value was thrown"],
  ];
  for (const [thrown, text] of table) assert.equal(messageOf(thrown), text);
});

test("usage adds and subtracts field by field", () => {
  const some = {
    input_tokens: 5,
    output_tokens: 4,
    cache_read_tokens: 3,
    cache_write_tokens: 2,
    reasoning_tokens: 1,
  };
  assert.deepEqual(subtractUsage(addUsage(some, some), some), some);
  assert.deepEqual(addUsage(noUsage, some), some);
});

test("a frozen value is frozen all the way down", () => {
  const value = deepFreeze({ a: [{ b: 1 }] });
  assert.throws(() => ((value.a[0] as { b: number }).b = 2), TypeError);
});

test("four kinds bring an item into history, the others none", () => {
  const head = { seq: 1, batch: 1, ts: 0 };
  const parts = [{ type: "text", text: "hi" }] as const;
  assert.deepEqual(itemOf({ ...head, kind: "user_input", parts }), { type: "user_message", parts });
  const item = { type: "system_item", kind: "interrupt", source: "host", body: "b" } as const;
  assert.equal(itemOf({ ...head, kind: "system_item", item }), item);
  assert.equal(itemOf({ ...head, kind: "turn_end", turn_count: 1 }), null);
  assert.equal(itemOf({ ...head, kind: "later", opaque: true, fields: {} }), null);
});

test("depth is counted without recursion, at n and n + 1", () => {
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  for (const depth of [1, 2, jsonDepthMax]) {
    assert.deepEqual(
      [isDepthWithin(nested(depth), depth), isDepthWithin(nested(depth), depth - 1)],
      [true, false],
    );
  }
  assert.equal(isDepthWithin("text", 0), true);
  assert.equal(isDepthWithin({ a: [{ b: 1 }] }, 3), true);
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level += 1) deep = { deep };
  assert.equal(isDepthWithin(deep, jsonDepthMax), false);
});
