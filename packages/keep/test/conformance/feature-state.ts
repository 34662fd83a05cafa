/** What every store of feature state must do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ErrorCode, type JsonValue, jsonDepthMax, YoiError } from "@yoi/base";
import { type KeptStateStore, stateBytesMax } from "../../src/index.ts";

/** A store, freshly made and empty. */
export interface FeatureStateParts extends AsyncDisposable {
  state(feature: string, name: string): KeptStateStore;
  /** As another process has it. */
  other(feature: string, name: string): KeptStateStore;
}

const feature = "user:notes";

async function failureOf(attempt: Promise<unknown>): Promise<{ code: ErrorCode; message: string }> {
  const outcome = await attempt.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof YoiError, "it was accepted, or failed with something else");
  return { code: outcome.code, message: outcome.message };
}

function nested(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let at = 1; at < depth; at += 1) value = [value];
  return value;
}

export function featureStateConformance(
  implementation: string,
  open: () => Promise<FeatureStateParts>,
): void {
  const check = (what: string, run: (parts: FeatureStateParts) => Promise<void>): void => {
    test(`F-25: ${implementation}: ${what}`, async () => {
      await using parts = await open();
      await run(parts);
    });
  };

  check("nothing is there at first", async ({ state }) => {
    assert.equal(await state(feature, "main").read(), null);
  });

  check("a value comes out as it went in, with its version and its revision", async ({ state, other }) => {
    const values: readonly JsonValue[] = [
      { a: [1, -0.5, 1e300, null, true, "\u0000\u2028\ud83d\ude00\ud800"], "": {}, ["__proto__"]: { b: 1 } },
      null,
      false,
      0,
      "",
      [],
      'x\n\n"sum":"0000000000000000"}\n',
      { sum: "0123456789abcdef" },
    ];
    const store = state(feature, "main");
    let expected: number | null = null;
    for (const [index, value] of values.entries()) {
      expected = await store.write(value, { version: index + 1, expected });
      assert.equal(expected, index + 1);
      const stored = await other(feature, "main").read();
      assert.deepEqual(stored, { version: index + 1, revision: index + 1, value });
    }
  });

  check("features, and names, do not see each other's", async ({ state }) => {
    const places = [
      ["user:notes", "main"],
      ["user:notes", "Main"],
      ["user:notes", "main.1"],
      ["user:notes/main", "1"],
      ["user:", "notes+main"],
      ["..", ".."],
      ["USER:notes", "main"],
      ["user:notes", "0.jsonl"],
    ] as const;
    for (const [index, [id, name]] of places.entries())
      assert.equal(await state(id, name).write(index, { version: 1, expected: null }), 1);
    for (const [index, [id, name]] of places.entries())
      assert.deepEqual(await state(id, name).read(), { version: 1, revision: 1, value: index });
  });

  check(
    "a write that did not read the last revision is refused, and names both",
    async ({ state, other }) => {
      const store = state(feature, "main");
      const unwritten = await failureOf(store.write(1, { version: 1, expected: 4 }));
      assert.equal(unwritten.code, "state_conflict");
      assert.match(unwritten.message, /has not been written yet, and revision 4 was expected/);
      await store.write(1, { version: 1, expected: null });
      await other(feature, "main").write(2, { version: 1, expected: 1 });
      for (const expected of [null, 1, 3]) {
        const { code, message } = await failureOf(store.write(9, { version: 1, expected }));
        assert.equal(code, "state_conflict");
        assert.ok(message.includes("is at revision 2"), message);
        assert.ok(
          message.includes(expected === null ? "none was expected" : `revision ${expected} was expected`),
        );
      }
      assert.deepEqual(await store.read(), { version: 1, revision: 2, value: 2 });
    },
  );

  check("of writes made at once from one revision exactly one wins", async ({ state, other }) => {
    const stores = [state(feature, "main"), other(feature, "main")];
    let expected: number | null = null;
    for (let round = 0; round < 10; round += 1) {
      // The same value: who won is told by more than what was written.
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => stores[index % 2]?.write("same", { version: 1, expected })),
      );
      const won = tries.filter((outcome) => outcome.status === "fulfilled");
      assert.deepEqual(
        won.map((outcome) => outcome.value),
        [round + 1],
      );
      for (const outcome of tries)
        if (outcome.status === "rejected")
          assert.equal((outcome.reason as YoiError).code, "state_conflict", String(outcome.reason));
      expected = round + 1;
    }
  });

  check("the limits of size and depth hold at n and at n + 1", async ({ state, other }) => {
    const store = state(feature, "main");
    const fits = "x".repeat(stateBytesMax - 2);
    await store.write(fits, { version: 1, expected: null });
    assert.equal((await other(feature, "main").read())?.value, fits);
    const over = await failureOf(store.write(`${fits}x`, { version: 1, expected: 1 }));
    assert.equal(over.code, "limit_exceeded");
    assert.ok(over.message.includes(String(stateBytesMax)));
    await store.write(nested(jsonDepthMax), { version: 1, expected: 1 });
    assert.deepEqual((await other(feature, "main").read())?.value, nested(jsonDepthMax));
    const deep = await failureOf(store.write(nested(jsonDepthMax + 1), { version: 1, expected: 2 }));
    assert.equal(deep.code, "usage");
  });

  check("what is no JSON, no version and no revision is refused, and writes nothing", async ({ state }) => {
    const loop: unknown[] = [];
    loop.push(loop);
    const values: readonly unknown[] = [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      () => 1,
      Symbol("x"),
      new Date(0),
      new Map(),
      { a: undefined },
      // oxlint-disable-next-line no-sparse-arrays
      [1, , 2],
      loop,
      Buffer.from("x"),
    ];
    const store = state(feature, "main");
    for (const value of values) {
      const { code } = await failureOf(store.write(value as JsonValue, { version: 1, expected: null }));
      assert.equal(code, "usage", String(typeof value));
    }
    for (const version of [0, -1, 1.5, Number.NaN, "1" as never])
      assert.equal((await failureOf(store.write(1, { version, expected: null }))).code, "usage");
    for (const expected of [0, -1, 1.5, Number.NaN, "1" as never, undefined as never])
      assert.equal((await failureOf(store.write(1, { version: 1, expected }))).code, "usage");
    assert.equal(await store.read(), null);
    assert.throws(() => state("", "main"), { code: "usage" });
    assert.throws(() => state(feature, ""), { code: "usage" });
    assert.throws(() => state(feature, "x".repeat(257)), { code: "usage" });
    assert.equal(await state(feature, "x".repeat(256)).read(), null);
  });
}
