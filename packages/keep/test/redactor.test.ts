/** Taking known values out of text: every form of them, what a cut leaves of them, and what comes in pieces. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createKnownSecrets, createRedactor, fragmentLengthMin, redactedLengthMin } from "../src/index.ts";

const key = "sk-ant-api03-Qx7/Wm+2Zt9-canary_0123456789abcdefXYZ";
const odd = 'pa"ss\\wörd /+&= 0123456789';
const secrets = [
  { id: "providers/anthropic/default", value: key },
  { id: "ODD", value: odd },
];
const { text: redact } = createRedactor(secrets);
const marker = "[redacted: providers/anthropic/default]";

describe("a value", () => {
  const json = JSON.stringify(odd).slice(1, -1);
  const base64 = (prefix: string): string => Buffer.from(prefix + odd + "suffix").toString("base64");
  const cases: readonly (readonly [string, string, string | RegExp])[] = [
    ["as it is", `key ${key}.`, `key ${marker}.`],
    ["twice, and side by side", `${key}${key} ${key}`, `${marker}${marker} ${marker}`],
    ["in JSON", JSON.stringify({ odd }), '{"odd":"[redacted: ODD]"}'],
    [
      "in JSON in JSON",
      JSON.stringify({ args: JSON.stringify({ odd }) }),
      '{"args":"{\\"odd\\":\\"[redacted: ODD]\\"}"}',
    ],
    ["with escaped slashes", `{"a":"${key.replaceAll("/", "\\/")}"}`, `{"a":"${marker}"}`],
    ["percent-encoded", `?k=${encodeURIComponent(odd)}&b`, "?k=[redacted: ODD]&b"],
    [
      "percent-encoded, lower case",
      `?k=${encodeURIComponent(odd).replaceAll(/%../g, (c) => c.toLowerCase())}`,
      "?k=[redacted: ODD]",
    ],
    ["in Base64 at 0", base64(""), /^\[redacted: ODD\].{1,12}$/],
    ["in Base64 at 1", base64("a"), /^.{1,3}\[redacted: ODD\].{1,12}$/],
    ["in Base64 at 2", base64("ab"), /^.{1,4}\[redacted: ODD\].{1,12}$/],
    [
      "in Base64 for URLs",
      Buffer.from(`\u00ff\u00fe${odd}`).toString("base64url"),
      /^.{1,6}\[redacted: ODD\].{0,3}$/,
    ],
    ["escaped by hand", `x ${json} y`, "x [redacted: ODD] y"],
  ];
  for (const [name, text, expected] of cases) {
    test(`${name} is replaced`, () => {
      if (typeof expected === "string") assert.equal(redact(text), expected);
      else assert.match(redact(text), expected);
    });
  }

  test(`of ${redactedLengthMin} characters is looked for, a shorter one is not`, () => {
    const known = createKnownSecrets();
    const shortest = "k".repeat(redactedLengthMin);
    assert.equal(known.learn({ id: "short", value: shortest.slice(1) }), false);
    assert.equal(known.redact(`a ${shortest} b`), `a ${shortest} b`);
    assert.equal(known.learn({ id: "long", value: shortest }), true);
    assert.equal(known.redact(`a ${shortest} b`), "a [redacted: long] b");
  });

  test("keeps the name under which it was learnt first", () => {
    const known = createKnownSecrets();
    known.learn({ id: "first", value: key });
    known.learn({ id: "second", value: key });
    assert.equal(known.redact(key), "[redacted: first]");
  });

  test("that begins another one leaves nothing of it", () => {
    const known = createKnownSecrets();
    known.learn({ id: "short", value: "abcdefghijkl" });
    known.learn({ id: "long", value: "abcdefghijklMNOPQRST" });
    assert.equal(
      known.redact("x abcdefghijklMNOPQRST y abcdefghijkl z"),
      "x [redacted: long] y [redacted: short] z",
    );
  });

  test("that is not there leaves the very same string", () => {
    const text = "nothing of that kind, sk-ant-api03-... neither";
    assert.equal(redact(text), text);
    assert.equal(createKnownSecrets().redact(text), text);
  });
});

describe("what a cut leaves", () => {
  test(`is replaced from ${fragmentLengthMin} characters on, at the end of a text and at its beginning`, () => {
    assert.equal(redact(`x ${key.slice(0, fragmentLengthMin)}`), `x ${marker}`);
    assert.equal(
      redact(`x ${key.slice(0, fragmentLengthMin - 1)}`),
      `x ${key.slice(0, fragmentLengthMin - 1)}`,
    );
    assert.equal(redact(`${key.slice(-fragmentLengthMin)} x`), `${marker} x`);
    assert.equal(redact(`${key.slice(-fragmentLengthMin + 1)} x`), `${key.slice(-fragmentLengthMin + 1)} x`);
    assert.equal(redact(`${key.slice(5)} x`), `${marker} x`);
    assert.equal(redact(`x ${key.slice(0, -1)}?`), `x ${marker}?`);
  });
});

describe("a text in pieces", () => {
  const known = createKnownSecrets();
  for (const secret of secrets) known.learn(secret);
  const part = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        key,
        odd,
        encodeURIComponent(odd),
        JSON.stringify(odd),
        Buffer.from(key).toString("base64"),
      ),
    },
    fc.constantFrom("sk-", "s", "pa", "[redacted", key.slice(0, 9), key.slice(4, 12)),
    fc.string({ maxLength: 12, unit: "grapheme" }),
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 12 });

  test("comes out as the whole text would, wherever it was split", () => {
    fc.assert(
      fc.property(text, cuts, (whole, at) => {
        const stream = known.textStream();
        const edges = [
          0,
          ...at.filter((each) => each < whole.length).toSorted((a, b) => a - b),
          whole.length,
        ];
        const out = edges.slice(1).map((to, index) => stream.add(whole.slice(edges[index], to)));
        assert.equal(out.join("") + stream.end(), known.redact(whole));
      }),
      { seed: 11, numRuns: 600 },
    );
  });

  test("of bytes too, whatever else is in them", () => {
    fc.assert(
      fc.property(text, fc.uint8Array({ maxLength: 30 }), cuts, (words, noise, at) => {
        const whole = Buffer.concat([noise, Buffer.from(words), noise]);
        const stream = known.byteStream();
        const edges = [
          0,
          ...at.filter((each) => each < whole.length).toSorted((a, b) => a - b),
          whole.length,
        ];
        const out = edges.slice(1).map((to, index) => stream.add(whole.subarray(edges[index], to)));
        const all = Buffer.concat([...out, stream.end()]);
        for (const { value } of secrets) assert.ok(!all.includes(value));
        if (!all.includes("[redacted: ")) assert.deepEqual(all, whole);
      }),
      { seed: 12, numRuns: 300 },
    );
  });

  test("control: redacted piece by piece, a value in two pieces comes out", () => {
    assert.equal(
      redact(key.slice(0, 15)) + redact(key.slice(15, 30)) + redact(key.slice(30, 45)),
      key.slice(0, 45),
    );
  });

  test("waits only for what may become a value", () => {
    const stream = known.textStream();
    assert.equal(stream.add("a plain word, s"), "a plain word, ");
    assert.equal(stream.add("o it goes on"), "so it goes on");
    assert.equal(stream.end(), "");
  });

  test("passes through untouched while nothing is known", () => {
    const bytes = Buffer.from("abc");
    assert.equal(createKnownSecrets().byteStream().add(bytes), bytes);
    assert.equal(createKnownSecrets().textStream().add("sk-"), "sk-");
  });
});
