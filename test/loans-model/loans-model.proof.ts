/** T4, I11: in any sequence of delegations, stops, crashes, reclaims and restores no path has two writers, no loan is leaked or doubled, and budgets hold. */
import fc from "fast-check";
import type { Proof } from "../support/proof.ts";
import { anySequence } from "./commands.ts";
import { play } from "./machine.ts";

/** A failure is made smaller for as long as this. */
const shrinkMsMax = 60_000;

export const loansModel: Proof = {
  name: "T4, I11: random delegate, sub-delegate, stop, crash, reclaim and restore: one writer, no loan leaked or doubled, budgets hold",
  cases: { test: 80, prove: 20_000 },
  check: (index) =>
    fc.assert(
      fc.asyncProperty(anySequence, async (commands) => void (await play(commands))),
      { seed: index, numRuns: 1, unbiased: true, interruptAfterTimeLimit: shrinkMsMax },
    ),
};
