/** The real program killed in compactions, undone ones, rewinds and forks. */
import type { Proof } from "../support/proof.ts";
import { killedCase, verbs } from "./rotation-kill.ts";

export const rotationKills: Proof = {
  name: "SIGKILL in a run that compacts, a rewind, a fork, a compaction and its undoing",
  cases: { test: 2, prove: 500 },
  async check(index) {
    await killedCase(verbs[index % verbs.length] ?? "run", index);
  },
};
