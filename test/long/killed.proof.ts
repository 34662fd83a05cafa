/** The real program over a long session, killed with SIGKILL at any time. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { KilledLife } from "./killed-life.ts";

export const killedLongSessions: Proof = {
  name: "the real program over 3000 steps, killed at random, compacted, taken back and forked: tasks, logs and totals",
  cases: { test: 1, prove: 3 },
  async check(index) {
    const isShort = index === 0;
    await using life = await KilledLife.open({
      // By its times one of all that befalls a session comes in the short one too.
      seed: index + 2,
      steps: isShort ? 10 : 3_000,
      partSteps: isShort ? 8 : 60,
    });
    await life.live();
    const { kills, ...others } = life.counts;
    assert.ok(kills > 0, JSON.stringify(life.counts));
    if (!isShort) assert.ok(Math.min(...Object.values(others)) > 0, JSON.stringify(life.counts));
  },
};
