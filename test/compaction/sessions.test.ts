/** Whole sessions of any sizes; the control is one whose limits are set to what does not fit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { compactingSessions, sessionCase } from "./sessions.proof.ts";

proofTest(compactingSessions);

test("control: without the limit a request over it is sent within 40 sessions", async () => {
  let found = 0;
  for (let seed = 0; seed < 40 && found === 0; seed += 1)
    await sessionCase(seed, { sendsAnything: true }).catch((error: unknown) => {
      assert.ok(error instanceof Error);
      found += 1;
    });
  assert.equal(found, 1);
});
