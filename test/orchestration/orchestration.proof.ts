/** A ticket's way through three Pods, with kills at every named moment of it. */
import assert from "node:assert/strict";
import { noBubblewrap } from "../support/bubblewrap.ts";
import type { Proof } from "../support/proof.ts";
import { killPoints } from "./kill-points.ts";
import { live } from "./life.ts";

export const orchestration: Proof = {
  name: "orchestration: kills on a ticket's way",
  cases: { test: 1, prove: killPoints.length },
  check: async (index) => {
    assert.equal(noBubblewrap(), false, "it needs bubblewrap");
    const life = killPoints[index] ?? assert.fail(`no kill point ${index}`);
    try {
      await live(life);
    } catch (cause) {
      throw new Error(`killed when ${life.name}`, { cause });
    }
  },
};
