/** Deaths around approvals: at every operation of the disk once, at random ones several times, and that broken promises are seen. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { approvalCase } from "./approval-crash.ts";
import { approvalCrashes } from "./approval-crash.proof.ts";

for (const by of ["kill", "power"] as const) {
  test(`a ${by} at every operation of the disk from the first on: whatever was allowed happens once, and nothing else does`, async () => {
    const [operations = 0] = await approvalCase({ deaths: [], answersFirst: false });
    assert.ok(operations > 40, `only ${operations} operations`);
    const problems: string[] = [];
    for (let operation = 1; operation <= operations; operation += 1) {
      try {
        await approvalCase({ deaths: [{ operation, by }], answersFirst: operation % 2 === 0 });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        problems.push(`operation ${operation}: ${error.message}`);
      }
    }
    assert.deepEqual(problems, []);
  });
}

proofTest(approvalCrashes);

test("control: a disk that syncs nothing is seen, by the allow that a power cut would take back", async () => {
  const lying = approvalCase({ deaths: [], answersFirst: false, lies: true });
  await assert.rejects(lying, /happens without a durable allow/);
});

test("control: a Pod that asks nobody is seen", async () => {
  await assert.rejects(
    approvalCase({ deaths: [], answersFirst: false, rule: "allow" }),
    /without a durable allow/,
  );
});
