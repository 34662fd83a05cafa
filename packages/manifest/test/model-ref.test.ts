/** `provider/id`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { modelRefCharsMax, parseModelRef, type ModelRef } from "../src/index.ts";

test("a model's name is split at its first slash", () => {
  const longest = "x".repeat(modelRefCharsMax - 2);
  const cases: readonly (readonly [ref: string, parsed: ModelRef | null])[] = [
    ["anthropic/claude-x", { provider: "anthropic", id: "claude-x" }],
    ["a/b/c", { provider: "a", id: "b/c" }],
    ["scripted//abs/path with space.yaml", { provider: "scripted", id: "/abs/path with space.yaml" }],
    [`p/${longest}`, { provider: "p", id: longest }],
    [`p/${longest}x`, null],
    ["", null],
    ["claude", null],
    ["/claude", null],
    ["anthropic/", null],
    ["Anthropic/x", null],
    ["__proto__/x", null],
    ["an thropic/x", null],
    ["anthropic/x\ny", null],
  ];
  for (const [ref, parsed] of cases) assert.deepEqual(parseModelRef(ref), parsed, ref);
});
