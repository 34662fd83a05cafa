/** Names for Pods that nobody named: always valid, close to the directory's name. */
import assert from "node:assert/strict";
import test from "node:test";
import { podName, YoiError } from "@yoi/base";
import fc from "fast-check";
import { baseCharsMax, drawsMax, freshPodName, withFreshPodName } from "../src/fresh-pod-name.ts";

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

test("any directory's name makes a valid one (500 cases, seed 7)", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (directory) => {
      const name = freshPodName(directory, ids);
      assert.equal(podName(name), name);
    }),
    { numRuns: 500, seed: 7 },
  );
});

/** Ids that end in 0000, 0001, ... */
function counting() {
  let next = 0;
  return { uuidV7: () => `01a20058-1c5e-71ce-bd3e-56da102f${String(next++).padStart(4, "0")}` };
}

for (const code of ["pod_exists", "pod_held"] as const) {
  test(`a name that turns out to be somebody else's (${code}) is drawn again`, async () => {
    const tried: string[] = [];
    const used = await withFreshPodName("/w", counting(), async (name) => {
      tried.push(name);
      if (tried.length < 3) throw new YoiError(code, "taken");
      return name;
    });
    assert.deepEqual([used, tried], ["w-0002", ["w-0000", "w-0001", "w-0002"]]);
  });
}

test(`after ${drawsMax} names it is said that none is free, and the last of them may be`, async () => {
  const taken = (until: number) => {
    let tries = 0;
    return withFreshPodName("/w", counting(), async (name) => {
      if ((tries += 1) <= until) throw new YoiError("pod_exists", "taken");
      return name;
    });
  };
  assert.equal(await taken(drawsMax - 1), "w-0015");
  await assert.rejects(taken(drawsMax), { code: "pod_exists", message: /name it with --pod/ });
});

test("another failure is not taken for a name that is not free", async () => {
  let tries = 0;
  const failing = withFreshPodName("/w", counting(), async () => {
    tries += 1;
    throw new YoiError("disk_full", "no room");
  });
  await assert.rejects(failing, { code: "disk_full" });
  assert.equal(tries, 1);
});
