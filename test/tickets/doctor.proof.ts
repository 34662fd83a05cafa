/** Whatever stands in a root of tickets, what `doctor --fix`, a comment and a create take away or write over is theirs. */
import fc from "fast-check";
import { anyRoots, assertNothingLost } from "../../packages/tickets/test/doctor/any-root.ts";
import type { Proof } from "../support/proof.ts";

/** Roots of one case: starting a generator costs more than a root. */
const rootsPerCase = 10;

export const nothingLost: Proof = {
  name: "tickets: whatever stands in a root, every byte of it stays",
  cases: { test: 8, prove: 2_000 },
  async check(index) {
    for (const tree of fc.sample(anyRoots, { seed: index, numRuns: rootsPerCase }))
      await assertNothingLost(tree);
  },
};
