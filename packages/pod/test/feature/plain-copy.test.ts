/** Plain copies of what a module hands over: every property read once, and nothing but JSON in the copy. */
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { plainCopy } from "../../src/feature/plain-copy.ts";
import { holes, thrownBy } from "./features.ts";

const limits = { depthMax: 4, charsMax: 100 };
const copy = (value: unknown) => plainCopy(value, "it", limits);
const refusal = (value: unknown) => {
  const thrown = thrownBy(() => copy(value));
  return Array.isArray(thrown) && thrown[0] === "feature_invalid" ? thrown[1] : thrown;
};

test("what JSON cannot hold is refused, with its place", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const table: readonly [string, unknown, string][] = [
    ["undefined", undefined, "it is of type undefined, which JSON cannot hold."],
    ["a function", { a: [() => {}] }, "it.a[0] is of type function, which JSON cannot hold."],
    ["a BigInt", { a: 1n }, "it.a is of type bigint, which JSON cannot hold."],
    ["a symbol", [Symbol("s")], "it[0] is of type symbol, which JSON cannot hold."],
    ["NaN", [Number.NaN], "it[0] is no number that JSON can hold."],
    ["infinity", [-Infinity], "it[0] is no number that JSON can hold."],
    ["a hole", { a: holes(1) }, "it.a[0] is of type undefined, which JSON cannot hold."],
    ["a Map", { a: new Map() }, "it.a is no plain object."],
    ["a Date", new Date(0), "it is no plain object."],
    ["an instance", [new (class A {})()], "it[0] is no plain object."],
    ["a boxed text", [Object("a")], "it[0] is no plain object."],
    ["half of a pair", ["\ud800"], "it[0] holds half of a surrogate pair, which is no text."],
    [
      "half of a pair as a key",
      { "\udc00": 1 },
      "it.\udc00 holds half of a surrogate pair, which is no text.",
    ],
    [
      "__proto__",
      JSON.parse('{"a":{"__proto__":{"b":1}}}'),
      "it.a.__proto__ is no field that data may have.",
    ],
    ["a cycle", cycle, "it.self.self.self.self is nested deeper than 4 levels, or holds itself."],
  ];
  assert.deepEqual(
    table.map(([what, value]) => [what, refusal(value)]),
    table.map(([what, , message]) => [what, message]),
  );
});

test("levels and characters have limits, at n and n + 1", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  assert.deepEqual(copy(nested(4)), [[[[1]]]]);
  assert.equal(refusal(nested(5)), "it[0][0][0][0] is nested deeper than 4 levels, or holds itself.");
  // One for the value itself.
  assert.equal(copy("a".repeat(99)), "a".repeat(99));
  assert.equal(refusal("a".repeat(100)), "it is larger than 100 characters in all.");
  assert.deepEqual(Object.keys(Object(copy({ ["k".repeat(98)]: 1 }))), ["k".repeat(98)]);
  assert.match(String(refusal({ ["k".repeat(99)]: 1 })), /is larger than 100 characters in all\.$/);
});

test("what is huge costs no more than the limit: 1e5 levels, a list that says it has 4e9 elements, a huge text", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  assert.equal(refusal(deep), "it.deep.deep.deep.deep is nested deeper than 4 levels, or holds itself.");
  assert.equal(refusal(holes(2 ** 32 - 1)), "it is larger than 100 characters in all.");
  assert.equal(refusal({ a: "x".repeat(50_000_000) }), "it.a is larger than 100 characters in all.");
});

test("a list says how many elements it has, or is refused: no limit is switched off by what is no count", () => {
  const saying = (length: unknown): unknown =>
    new Proxy([], { get: (of, key) => (key === "length" ? length : Reflect.get(of, key)) });
  const lies = [NaN, -1, 0.5, 2 ** 53, Infinity, -Infinity, "3", 3n, null, undefined, { valueOf: () => 1 }];
  for (const length of lies) {
    const rest = "y".repeat(3_000_000);
    assert.equal(
      refusal({ a: saying(length), rest }),
      "it.a is a list whose length is no count.",
      String(length),
    );
  }
  assert.deepEqual(copy([saying(0), saying(-0)]), [[], []]);
  assert.equal(refusal(saying(2 ** 53 - 1)), "it is larger than 100 characters in all.");
  assert.equal(refusal(saying(1)), "it[0] is of type undefined, which JSON cannot hold.");
  // Each list costs one and its length, and the first hole one more.
  assert.equal(refusal([holes(96)]), "it[0][0] is of type undefined, which JSON cannot hold.");
  assert.equal(refusal([holes(98)]), "it[0] is larger than 100 characters in all.");
});

test("a getter or a proxy is asked once for each property, and the copy is not its object", () => {
  const reads: string[] = [];
  const target = { a: { b: [1, 2] }, c: "text" };
  const watched = (value: object, place: string): object =>
    new Proxy(value, {
      get(of, key) {
        reads.push(`${place}${String(key)}`);
        const field: unknown = Reflect.get(of, key);
        return typeof field === "object" && field !== null
          ? watched(field, `${place}${String(key)}.`)
          : field;
      },
    });
  const copied = copy(watched(target, ""));
  assert.deepEqual(reads, ["a", "a.b", "a.b.length", "a.b.0", "a.b.1", "c"]);
  target.a.b.push(3);
  assert.deepEqual(copied, { a: { b: [1, 2] }, c: "text" });
});

test("what a getter throws comes through, whatever it is", () => {
  const error = new Error("mine");
  assert.throws(
    () =>
      copy({
        get a() {
          throw error;
        },
      }),
    error,
  );
});

test("any JSON value comes out as JSON writes it", () => {
  const wide = { depthMax: 64, charsMax: 1_000_000 };
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      fc.pre(!JSON.stringify(value).includes("__proto__"));
      assert.equal(JSON.stringify(plainCopy(value, "it", wide)), JSON.stringify(value));
    }),
    { seed: 20_104, numRuns: 300 },
  );
});
