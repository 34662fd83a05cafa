/** Two deaths around approvals, at random operations, recovery included. */
import { seededRandom } from "../../packages/host/src/memory/seeded-random.ts";
import type { Proof } from "../support/proof.ts";
import { approvalCase, type Death } from "./approval-crash.ts";

const operationsOfLife = 60;

export const approvalCrashes: Proof = {
  name: "deaths around approvals: an effect happens at most once, and only behind a durable allow",
  cases: { test: 20, prove: 4000 },
  async check(index) {
    const random = seededRandom(index ^ 0x51ab7e11);
    const deaths = Array.from({ length: 1 + random.below(4) }, (): Death => ({
      operation: 1 + random.below(operationsOfLife),
      by: random.below(2) === 0 ? "kill" : "power",
    }));
    await approvalCase({ deaths, answersFirst: random.below(2) === 0 });
  },
};
