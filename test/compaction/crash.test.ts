/** Compactions cut off at each of their operations; the control has a disk that lies. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { compactionCase, compactionCrashes } from "./crash.proof.ts";

proofTest(compactionCrashes);

test("control: on a disk that says it took what it did not, a compaction that was said to be done is lost", async () => {
  await assert.rejects(compactionCase(0, true));
});
