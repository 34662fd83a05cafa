/** A million events pass a client that never reads. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { mebibyte, memoryGrowthMax } from "./bounds.ts";
import { flood, floodAlone, floodScenario } from "./flood.ts";
import { Hosting } from "./hosted.ts";

const shape = { steps: 500, deltas: 2_000 };

export const millionEvents: Proof = {
  name: "a million events with a client that never reads: who reads has all, and the memory is bounded",
  cases: { test: 0, prove: 3 },
  check: async () => {
    await using hosting = new Hosting();
    const alone = await floodAlone(await hosting.startPod("alone", floodScenario(shape)));
    const pod = await hosting.startPod("flood", floodScenario(shape));
    const { growth } = await flood(pod);
    const added = growth - alone;
    assert.ok(added < memoryGrowthMax, `it grew by ${(added / mebibyte).toFixed(1)} MiB more than alone`);
  },
};
