/** One Pod, 64 processes that start it at once: exactly one of them owns it, whoever held it before. */
import assert from "node:assert/strict";
import { podName, YoiError, type PodName } from "@yoi/base";
import type { Proof } from "../support/proof.ts";
import { Starter } from "./crew.ts";
import { Race, starterCount } from "./race.ts";

/** Starting 64 processes takes longer than a race: each case is this many races of either kind. */
const roundsPerCase = 3;

async function oneWins(race: Race, name: PodName): Promise<void> {
  await race.run(name, async ({ winners, refusals }) => {
    assert.equal(winners.length, 1, `${winners.length} of ${starterCount} won ${name}`);
    assert.equal(refusals.length, starterCount - 1);
    for (const refusal of refusals) {
      assert.ok(refusal instanceof YoiError && refusal.code === "pod_held", String(refusal));
      assert.ok(refusal.message.includes(`process ${winners[0]} `), refusal.message);
    }
    // The winner holds it still, against one that comes later.
    const late = new Starter(race.dataDir);
    try {
      await assert.rejects(late.lease.acquire(name, "late"), { code: "pod_held" });
    } finally {
      await late.kill();
    }
  });
}

export const leaseRace: Proof = {
  name: `64 starters of one Pod, ${roundsPerCase} times fresh and ${roundsPerCase} times with a killed owner: exactly one wins`,
  cases: { test: 1, prove: 67 },
  async check(index) {
    await using race = await Race.open();
    for (let round = 0; round < roundsPerCase; round += 1) {
      await oneWins(race, podName(`fresh-${index}-${round}`));
      const name = podName(`dead-${index}-${round}`);
      await race.leaveDeadOwner(name);
      await oneWins(race, name);
    }
  },
};
