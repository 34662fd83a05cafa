/** The first cases of loading a skill on a machine that dies, and the control. */
import assert from "node:assert/strict";
import test from "node:test";
import { proofTest } from "../support/proof.ts";
import { loadCase, operationsOfALife } from "./load-crash.ts";
import { loadCrash, operationsMax } from "./load-crash.proof.ts";

proofTest(loadCrash);

test("every operation of a life is among the cases", async () => {
  const operations = await operationsOfALife();
  assert.ok(operations > operationsMax / 2 && operations <= operationsMax, `${operations} operations`);
});

test("a Pod that goes by what it gave, and not by what is on record, tells of a text that is not there (control)", async () => {
  const failures: unknown[] = [];
  for (let at = 0; at < operationsMax && failures.length === 0; at += 1)
    await loadCase(at, { loss: "process", recalls: false }).catch((error: unknown) => failures.push(error));
  assert.match(String(failures[0]), /and it is not|said to be loaded before/);
});
