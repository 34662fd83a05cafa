/** What a Pod is told of tickets over crashes; controls that tell it twice, or lose it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { followed, judge, notifying } from "./follow-crash.ts";
import { followCrash } from "./follow-crash.proof.ts";

proofTest(followCrash);

test("a whole life has the operations that are tried, and tells all of it", async () => {
  const whole = await followed({ operation: 1_000, loss: "power" });
  assert.deepEqual([whole.isCrashed, whole.told], [false, ["body-1", "body-2", "body-3", "body-last"]]);
});

const controls = [
  {
    name: "the position is another write behind the notice: some are told twice",
    wrap: notifying((sink) => ({
      ...sink,
      notifyModel: async (message, told) => {
        await sink.notifyModel(message);
        if (told !== undefined) await sink.keepPosition(told.position);
      },
    })),
  },
  {
    name: "the position is another write before the notice: some are lost",
    wrap: notifying((sink) => ({
      ...sink,
      notifyModel: async (message, told) => {
        if (told !== undefined) await sink.keepPosition(told.position);
        await sink.notifyModel(message);
      },
    })),
  },
  {
    name: "what is known is nowhere on record: some are lost",
    wrap: notifying((sink) => ({ ...sink, position: () => null })),
  },
];
for (const { name, wrap } of controls) {
  test(`control: ${name}`, async () => {
    // Where news are told.
    for (let operation = 26; operation <= 80; operation += 1) {
      const outcome = await followed({ operation, loss: "process" }, wrap);
      try {
        judge(outcome);
      } catch {
        return;
      }
    }
    assert.fail("no crash showed it");
  });
}
