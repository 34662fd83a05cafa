/** The first long session, scaled; the controls are a model that forgets a task. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { Life } from "./life.ts";
import { longSessions } from "./sessions.proof.ts";

proofTest(longSessions);

test("control: a task that the model does not know any more would be found", async () => {
  await assert.rejects(new Life({ seed: 3, steps: 20, forgets: true }).live(), /tasks at part/);
});
