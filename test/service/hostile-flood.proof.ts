/** A million events pass a client that never reads. */
import assert from "node:assert/strict";
import type { Proof } from "../support/proof.ts";
import { mebibyte, memoryGrowthMax } from "./bounds.ts";
import { floodAlone, floodScenario } from "./flood.ts";
import { Hosting } from "./hosted.ts";

const shape = { steps: 500, deltas: 2_000 };

export const millionEvents: Proof = {
  name: "a million events with a client that never reads: it is dropped, and adds no memory to speak of",
  cases: { test: 0, prove: 3 },
  check: async () => {
    await using hosting = new Hosting();
    const alone = await floodAlone(await hosting.startPod("alone", floodScenario(shape)));
    const pod = await hosting.startPod("flood", floodScenario(shape), ["--read-only"]);
    using stalled = await pod.client();
    await stalled.until("the snapshot", () => stalled.snapshot !== null);
    stalled.socket.pause();
    const added = (await floodAlone(pod)) - alone;
    assert.ok(added < memoryGrowthMax, `it grew by ${(added / mebibyte).toFixed(1)} MiB more than alone`);
    stalled.socket.resume();
    await stalled.closed;
    assert.equal(stalled.runsEnded, 0, "it was dropped before the end");
    assert.equal(pod.log().at(-1)?.kind, "run_completed");
  },
};
