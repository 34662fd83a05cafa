/** Sessions of thousands of steps, with compactions, rewinds, forks, power cuts and provider pauses: every task is kept, every segment verifies, totals are the sum of the records. */
import assert from "node:assert/strict";
import { podUsage, totalSpent, verifyPod } from "@yoi/pod";
import { answeringModel } from "../compaction/answering-model.ts";
import { storedTimeline } from "../compaction/bench.ts";
import type { Proof } from "../support/proof.ts";
import { simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { contextWindow, type Counts, Life } from "./life.ts";

const stepsInTest = 150;
const stepsInProve = 3_000;

export async function longSession(seed: number, steps: number): Promise<Counts> {
  const life = new Life({ seed, steps });
  await life.live();
  const { counts, host, leases } = life;
  const stores = simulatedStores(host, leases);
  const { pods } = stores;
  const openModel = async () =>
    answeringModel({ id: "model", contextWindow, answer: () => ({ text: "never asked" }) });
  for (const listing of await pods.list()) {
    const report = await verifyPod(stores, listing.name, { wireRequestsMax: 50, openModel });
    assert.deepEqual(report.problems, [], listing.name);
  }
  const usage = await podUsage(stores, { name: simulatedPod, tree: true, verify: true });
  assert.deepEqual(
    usage.map(({ problems, error }) => ({ problems, error })),
    [{ problems: [], error: null }],
  );
  const { requests } = totalSpent(usage);
  // What a power cut took of an answer was sent, and nobody counted it.
  assert.ok(requests <= counts.requests && requests >= counts.requests - counts.crashes, `${requests}`);
  const timeline = await storedTimeline(host);
  assert.equal(timeline.at(-1)?.state.spent.requests, requests);
  assert.equal(timeline.at(-1)?.state.generation, timeline.length - 1);
  return counts;
}

export const longSessions: Proof = {
  name: `sessions of ${stepsInProve} steps keep every task, verify, and add up`,
  cases: { test: 1, prove: 12 },
  async check(index) {
    const counts = await longSession(index, index === 0 ? stepsInTest : stepsInProve);
    const { crashes, pauses, rewinds, forks, compactions } = counts;
    if (index > 0)
      assert.ok(Math.min(crashes, pauses, rewinds, forks, compactions) > 0, JSON.stringify(counts));
  },
};
