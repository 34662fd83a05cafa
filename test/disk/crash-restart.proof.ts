/** Crash and restart on the simulated disk: every acknowledged entry is there, once, in its place; and nothing that was refused. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { playStory } from "./crash-restart.ts";

export const crashRestart: Proof = {
  name: "session log: crash and restart on the simulated disk",
  cases: { test: 300, prove: 50_000 },
  async check(index) {
    const { failure } = await playStory(index);
    assert.equal(failure, null, `seed ${index}: ${failure}`);
  },
};
