/** The first thousand submissions, of inputs and notifications in turn, and a client that repeats them under other names, which is found out. */
import assert from "node:assert/strict";
import test from "node:test";
import { proofTest } from "../support/proof.ts";
import { eachSubmittedOnce } from "./submissions.ts";
import { submittedOnce } from "./submissions.proof.ts";

proofTest(submittedOnce);

test("a client that repeats a submission under another name has it on record twice", async () => {
  await assert.rejects(
    eachSubmittedOnce({ seed: 1, submissions: 20, kills: 0, keepsName: false }),
    assert.AssertionError,
  );
});
