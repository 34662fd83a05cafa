/** A Pod that was compacted, taken back and forked again and again: `verify` reads its whole life, opening it reads one segment. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { type Host, memoryHost } from "@yoi/host";
import { forkPod, type Pod, verifyPod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { openScripted } from "../../packages/model/src/scripted/index.ts";
import { blobTool, textInput } from "../compaction/bench.ts";
import { openSimulated, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { Reads } from "./reads.ts";

const compactions = 50;
/** A place is gone back to every so often, a compaction undone, a fork made. */
const rewindEvery = 4;
const undoEvery = 7;
const forkEvery = 10;
/** Bodies rebuilt: those of the newest segments. */
const wireRequestsMax = 20;
const step = [{ tool_calls: [{ name: "Blob", arguments: { bytes: 12_000 } }] }, { text: "Done." }];
const scenario = JSON.stringify({
  context_window: 60_000,
  steps: Array.from({ length: compactions + 2 }, () => step).flat(),
  compactor: [
    {
      tool_calls: [
        {
          name: "write_summary",
          arguments: { summary: "work went on", constraints: [], current_work: "", files: [] },
        },
      ],
    },
  ],
});

function open(host: Host, leases: LeaseTable, name = simulatedPod): Promise<Pod> {
  return openSimulated({ host, leases, name, scenario, tools: [blobTool] });
}

async function worked(pod: Pod): Promise<void> {
  assert.equal((await pod.submit(textInput("go on"))).outcome.kind, "finished");
}

test("`yoi pod verify` passes across 50 compactions, rewinds and forks; opening the Pod then reads its active segment alone", async () => {
  const machine = memoryHost({ seed: 51 });
  const reads = new Reads();
  const host: Host = { ...machine, files: reads.watch(machine.files) };
  const leases: LeaseTable = new Map();
  const stores = simulatedStores(host, leases);
  const verified = (name: string) =>
    verifyPod(stores, name, {
      wireRequestsMax,
      openModel: async () => openScripted({ name: "sim.yaml", text: scenario, ports: host }),
    });
  const counts = { compactions: 0, rewinds: 0, undone: 0, forks: 0 };
  const pod = await open(host, leases);
  while (counts.compactions < compactions) {
    await worked(pod);
    await pod.compact();
    counts.compactions += 1;
    if (counts.compactions % undoEvery === 0) {
      await pod.undoCompaction();
      counts.undone += 1;
    }
    if (counts.compactions % rewindEvery === 0) {
      const { targets } = await pod.rewindTargets({ limit: 50 });
      // Behind the compaction, or on a branch that was left.
      const place = targets.filter(({ kind }) => kind === "input").at(counts.rewinds % 6);
      assert.ok(place !== undefined);
      await pod.rewind({ id: place.id, side: "before" });
      counts.rewinds += 1;
    }
    if (counts.compactions % forkEvery === 0) {
      const name = podName(`fork-${counts.forks}`);
      const request = { source: simulatedPod, name, target: null, ids: host.ids, version: "0.0.0-sim" };
      await forkPod(stores, request);
      const fork = await open(host, leases, name);
      await worked(fork);
      await fork.compact();
      await fork.close();
      counts.forks += 1;
    }
  }
  await worked(pod);
  await pod.close();
  assert.deepEqual(counts, { compactions, rewinds: 12, undone: 7, forks: 5 });

  const moves = counts.compactions + counts.rewinds + counts.undone;
  const report = await verified(simulatedPod);
  assert.deepEqual([report.problems, report.leftOvers], [[], []]);
  const roles = report.segments.map(({ role }) => role);
  assert.equal(roles.filter((role) => role === "compactor").length, counts.compactions);
  assert.equal(roles.filter((role) => role !== "compactor").length, moves + 1);
  assert.equal(report.wireChecked, wireRequestsMax);
  for (let fork = 0; fork < counts.forks; fork += 1) {
    const { problems, wireChecked } = await verified(`fork-${fork}`);
    assert.deepEqual([problems, wireChecked], [[], 3], `fork-${fork}`);
  }

  const active = report.segments.find(({ role }) => role === "active")?.segment;
  reads.take();
  const restored = await open(host, leases);
  assert.deepEqual(reads.take(), [active]);
  await worked(restored);
  await restored.close();

  // The control: one byte of the oldest segment.
  const path = report.segments.findLast(({ role }) => role === "earlier")?.path ?? "";
  const log = Buffer.from((await host.files.read(path)) ?? []);
  log.writeUInt8(log.readUInt8(log.length >> 1) ^ 1, log.length >> 1);
  await host.files.replace(path, log);
  assert.notDeepEqual((await verified(simulatedPod)).problems, []);
});
