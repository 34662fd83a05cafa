/** Names for Pods that nobody named: always valid, close to the directory's name. */
import assert from "node:assert/strict";
import test from "node:test";
import { podName } from "@yoi/base";
import fc from "fast-check";
import { baseCharsMax, freshPodName } from "../src/fresh-pod-name.ts";

const ids = { uuidV7: () => "01a20058-1c5e-71ce-bd3e-56da102f80ca" };

for (const [directory, expected] of [
  ["/home/me/project", "project-80ca"],
  ["/home/me/my project (2)", "my-project--2--80ca"],
  ["/home/me/.config", "config-80ca"],
  ["/home/me/--x", "x-80ca"],
  ["/home/me/日本", "pod-80ca"],
  ["/", "pod-80ca"],
  [`/${"x".repeat(baseCharsMax)}`, `${"x".repeat(baseCharsMax)}-80ca`],
  [`/${"x".repeat(baseCharsMax + 1)}`, `${"x".repeat(baseCharsMax)}-80ca`],
] as const) {
  test(`${directory.slice(0, 30)} becomes ${expected.slice(0, 20)}`, () => {
    assert.equal(freshPodName(directory, ids), expected);
  });
}

test("any directory's name makes a valid one (2000 cases, seed 7)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (directory) => {
      const name = freshPodName(directory, ids);
      assert.equal(podName(name), name);
    }),
    { numRuns: 2000, seed: 7 },
  );
});
