/** Forks cut off: the first cases, and that they are both sides of the one step that makes a fork. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { forkCase, forkCrashes } from "./fork-crash.proof.ts";

proofTest(forkCrashes);

test("the cases reach from before the first operation that counts to behind the last one", async () => {
  const outcomes = new Set<string>();
  for (let index = 0; index < 60; index += 3) outcomes.add(await forkCase(index));
  assert.deepEqual([...outcomes].sort(), ["failed", "made", "over"]);
});

test("control: on a disk that lies a fork that was said to be made is not there, or not whole", async () => {
  let wrong = 0;
  for (let index = 0; index < 8; index += 1)
    await forkCase(index, true).catch(() => {
      wrong += 1;
    });
  assert.ok(wrong > 0);
});
