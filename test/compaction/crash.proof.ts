/** Compactions cut off by a crash or a failure of the disk, at each of their operations: the old history or the new one, never a mix, and everything verifies. */
import assert from "node:assert/strict";
import { idOf, isKnown, YoiError } from "@yoi/base";
import { type DiskEffect, HostCrashed, memoryHost, type MemoryHost } from "@yoi/host";
import { type Pod, verifyPod } from "@yoi/pod";
import type { LeaseTable } from "@yoi/pod-store";
import { segmentPath } from "@yoi/session-store";
import type { Proof } from "../support/proof.ts";
import { dataDir, simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { answeringModel } from "./answering-model.ts";
import { openCompacting, type StoredSegment, storedTimeline, textInput } from "./bench.ts";

const effects = ["crash", "EIO", "ENOSPC"] as const satisfies readonly DiskEffect[];
const ways = ["hand", "run"] as const;
/** More than a compaction has. */
const operationsMax = 48;
const contextWindow = 20_000;
const steps = 4;

interface Scene {
  host: MemoryHost;
  readonly leases: LeaseTable;
}

function open({ host, leases }: Scene): Promise<Pod> {
  return openCompacting({
    host,
    leases,
    contextWindow,
    // The fifth run compacts before its first request.
    compaction: { threshold: 8_000, prune_threshold: 17_000 },
    // By what it is asked, so that every life answers alike.
    answer: ({ items }) => {
      const last = items.at(-1)?.item;
      const isAsked = last?.type === "user_message";
      return isAsked ? { text: "look", calls: [{ name: "Blob", args: { bytes: 9_000 } }] } : { text: "done" };
    },
  });
}

/** @param lies the control: the disk says that it took what it did not. */
export async function compactionCase(index: number, lies = false): Promise<"old" | "new" | "over"> {
  const effect = effects[index % effects.length] ?? "crash";
  const way = ways[Math.floor(index / effects.length) % ways.length] ?? "hand";
  const nth = 1 + (Math.floor(index / effects.length / ways.length) % operationsMax);
  const where = `${effect} at operation ${nth} of a compaction by ${way}`;
  const scene: Scene = { host: memoryHost({ seed: index }), leases: new Map() };
  const pod = await open(scene);
  for (let step = 0; step < steps; step += 1) await pod.submit(textInput(`look ${step}`));
  const [before] = await storedTimeline(scene.host);
  assert.ok(before !== undefined);
  let seen = 0;
  let isCounting = way === "hand";
  scene.host.disk.plan = ({ kind, path }) => {
    if (lies) return kind === "sync" || kind === "sync_directory" ? "lie" : "pass";
    // Of a run what comes before its compaction is tried elsewhere.
    isCounting ||= kind === "write" && !path.includes(before.ref.segment) && path.endsWith(".jsonl");
    if (kind !== "read" && isCounting) seen += 1;
    return kind !== "read" && isCounting && seen === nth ? effect : "pass";
  };
  const isDone = await (way === "hand" ? pod.compact() : pod.submit(textInput("look on"))).then(
    () => true,
    (error: unknown) => {
      assert.ok(error instanceof YoiError || error instanceof HostCrashed, String(error));
      return false;
    },
  );
  scene.host.disk.plan = () => "pass";
  const isOver = seen < nth;
  if (!scene.host.crashed) {
    // A failure that the process lives through leaves a Pod that works, or one that writes nothing more.
    if (!isDone) await pod.submit(textInput("still there?")).catch(isOfLog);
    await pod.close().catch(isOfLog);
    scene.host.crash("power");
  }
  scene.host = scene.host.restart();
  const after = await storedTimeline(scene.host);
  judge(before, after, where);
  if (isDone && (way === "hand" || isOver)) assert.equal(after.length, 2, `${where}: it was said to be done`);
  const bytes = await bytesOf(scene.host, after.slice(0, -1));
  await goesOn(scene, where);
  assert.deepEqual(
    await bytesOf(scene.host, after.slice(0, -1)),
    bytes,
    `${where}: a segment that was left grew`,
  );
  if (isOver) return "over";
  return after.length === 1 ? "old" : "new";
}

function isOfLog(error: unknown): void {
  assert.ok(error instanceof YoiError, String(error));
}

/** What history holds is what it held, or what a compaction made of it: never some of both. */
function judge(before: StoredSegment, after: readonly StoredSegment[], where: string): void {
  const [old, now] = after;
  assert.ok(old !== undefined && after.length <= 2, where);
  assert.deepEqual(old.entries.slice(0, before.entries.length), before.entries, where);
  const said = ({ state }: StoredSegment) => state.items.map((one) => idOf(one));
  const had = said(old);
  assert.deepEqual(had.slice(0, said(before).length), said(before), where);
  if (now === undefined) return;
  const compacted = now.entries.find((entry) => isKnown(entry) && entry.kind === "compacted");
  assert.ok(
    compacted?.kind === "compacted" && isKnown(compacted),
    `${where}: a segment without its compaction`,
  );
  assert.equal(compacted.outcome, "committed", where);
  const carried = now.state.items.slice(0, compacted.items_after ?? 0);
  assert.ok(
    carried.some(({ item }) => item.type === "system_item" && item.kind === "summary"),
    where,
  );
  assert.ok(!old.entries.some(({ kind }, at) => kind === "compacted" && at > old.state.lastSeq), where);
}

/** The next owner puts an end on record for what has none, works, and everything verifies and adds up. */
async function goesOn(scene: Scene, where: string): Promise<void> {
  const pod = await open(scene);
  const report = await pod.submit(textInput("look once more"));
  assert.equal(report.outcome.kind, "finished", where);
  await pod.close();
  const stores = simulatedStores(scene.host, scene.leases);
  const made = answeringModel({ id: "model", contextWindow, answer: () => ({ text: "never asked" }) });
  const verified = await verifyPod(stores, simulatedPod, {
    wireRequestsMax: 100,
    openModel: async () => made,
  });
  assert.deepEqual(verified.problems, [], where);
  const timeline = await storedTimeline(scene.host);
  assert.equal(timeline.at(-1)?.state.compaction, null, where);
}

async function bytesOf(host: MemoryHost, segments: readonly StoredSegment[]): Promise<readonly string[]> {
  return Promise.all(
    segments.map(async ({ ref }) =>
      Buffer.from((await host.files.read(segmentPath(dataDir, ref))) ?? []).toString("hex"),
    ),
  );
}

export const compactionCrashes: Proof = {
  name: "compactions cut off: the old history or the new one",
  cases: { test: 18, prove: effects.length * ways.length * operationsMax * 4 },
  async check(index) {
    // Spread over the operations, so that the first ones are not all that is tried.
    await compactionCase(index * 7);
  },
};
