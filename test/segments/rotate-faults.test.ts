/** A Pod that goes on in another segment on a disk that fails: the first cases, and that a disk that lies would be found out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { rotationFaults } from "./rotate-faults.proof.ts";
import { operationsOfRotation, rotateCase } from "./rotate-faults.ts";

proofTest(rotationFaults);

test("control: on a disk whose syncs do nothing something acknowledged is lost, or there is no whole segment", async () => {
  const operations = await operationsOfRotation();
  let lost = 0;
  // Odd ones end in a power cut.
  for (let index = 1; index < 40; index += 2) {
    await rotateCase(index, operations, { lies: true }).catch(() => (lost += 1));
  }
  assert.ok(lost > 0);
});
