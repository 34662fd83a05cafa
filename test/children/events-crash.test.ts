/** The first of the kills, that they are kills, and a judge that can say no. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { crashed, judge } from "./events-crash.ts";
import { eventsCrash } from "./events-crash.proof.ts";

proofTest(eventsCrash);

test("control: a kill hits, what ends is seen without one, and what is lost, doubled or out of order is refused", async () => {
  const unharmed = await crashed({ victim: "both", call: Number.MAX_SAFE_INTEGER, when: "before" }, 1);
  judge(unharmed);
  assert.equal(unharmed.ended.length, 2, "two runs");
  const killed = await crashed({ victim: "parent", call: 1, when: "before" }, 1);
  assert.deepEqual([killed.isParentCut, unharmed.isParentCut], [true, false]);
  const [first = 0, second = 0] = unharmed.ended;
  for (const told of [[first], [first, first, second], [second, first], []])
    assert.throws(() => judge({ ended: unharmed.ended, told }));
});
