/** What is read of a session that left many segments: opening its Pod reads the one that is open, a list reads none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Host, memoryHost } from "@yoi/host";
import { listPods, podTree, type Pod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { timelineOf } from "../../packages/pod/src/timeline/timeline.ts";
import { quickModel } from "../../bench/long-model.ts";
import { blobTool, textInput } from "../compaction/bench.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { Reads } from "./reads.ts";

const segments = 50;
const resultBytes = 8_000;

function open(host: Host, leases: LeaseTable): Promise<Pod> {
  const model = quickModel({
    contextWindow: 60_000,
    calls: (request) => (request % 2 === 0 ? [{ name: "Blob", args: { bytes: resultBytes } }] : []),
  });
  return openSimulated({ host, leases, scenario: "steps: []", wrapModel: () => model, tools: [blobTool] });
}

test("opening a Pod with 50 segments behind it reads the open one, a tree that one too, and a list none", async () => {
  const machine = memoryHost({ seed: 50 });
  const reads = new Reads();
  const host: Host = { ...machine, files: reads.watch(machine.files) };
  const leases: LeaseTable = new Map();
  const grown = await open(host, leases);
  for (let segment = 0; segment < segments; segment += 1) {
    await grown.submit(textInput("go on"));
    await grown.compact();
  }
  await grown.close();
  const all = new Set(reads.take());
  // The Pod's own, and each compactor's.
  assert.equal(all.size, 2 * segments + 1);

  const stores = simulatedStores(host, leases);
  const record = await stores.pods.read(simulatedPod);
  assert.ok(record?.pointer.state === "active");
  const { pointer } = record;
  reads.take();
  const pod = await open(host, leases);
  const read = reads.bytes;
  assert.deepEqual(reads.take(), [pointer.segment]);
  const size = (await stores.sessions.listSegments(pointer.session)).find(
    ({ ref }) => ref.segment === pointer.segment,
  );
  assert.ok(read <= (size?.bytes ?? 0), `${read} bytes of ${size?.bytes} were read`);
  await pod.close();

  reads.take();
  assert.equal((await listPods(stores)).length, 1);
  assert.deepEqual(reads.take(), []);
  assert.equal((await podTree(stores, null)).length, 1);
  assert.deepEqual(reads.take(), [pointer.segment]);
  // The control: who looks for all of them is seen to.
  assert.equal((await timelineOf(stores.sessions, pointer)).segments.length, segments + 1);
  assert.equal(reads.take().length, segments + 1);
});
