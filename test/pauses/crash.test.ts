/** The first cases of pauses under kills, and the control. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { pauseCrashed, pauseCrashes } from "./crash.proof.ts";

proofTest(pauseCrashed);

test("control: a Pod that begins nothing by itself stays where it was paused", async () => {
  await assert.rejects(async () => {
    for (let index = 0; index < 4; index += 1) await pauseCrashes(false).check(index);
  }, /Expected values/);
});
