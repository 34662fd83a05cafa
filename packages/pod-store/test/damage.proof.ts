/** Metadata that is torn, empty, old, foreign or flipped (C5): the very record, or a refusal with file and byte; never another record, and never fewer children. */
import assert from "node:assert/strict";
import { podName, type PodName, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { Proof } from "../../../test/support/proof.ts";
import { createPodStore, type PodRecord, type PodStore } from "../src/index.ts";
import { child, kinPointer, nameOf, parent } from "./kin.ts";

const atlas = podName("atlas");
const borea = podName("borea");

/** mulberry32: the same seed is the same case. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

async function randomPod(
  store: PodStore,
  name: PodName,
  pick: (below: number) => number,
): Promise<PodRecord> {
  const manifest = {
    schema: 1,
    text: "é".repeat(pick(50)),
    list: Array.from({ length: pick(5) }, () => pick(9)),
  };
  const link = pick(2) === 0 ? {} : { parent };
  let record = await store.create({ name, pointer: kinPointer, epoch: pick(5), manifest, ...link });
  for (let n = 0; n < 1 + pick(4); n += 1) record = await store.putChild(name, record, child(n));
  if (pick(2) === 0) record = await store.reclaimChild(name, record, nameOf(0), { reason: "lost", atMs: 1 });
  return record;
}

/** What a crash, a disk, a person or another program can make of the file. */
const damages: readonly ((good: Buffer, pick: (below: number) => number, other: Buffer) => Buffer)[] = [
  (good, pick) => good.subarray(0, pick(good.length)),
  () => Buffer.alloc(0),
  // A power cut on a file system that had the length on disk and not the bytes.
  (good, pick) =>
    Buffer.concat([good.subarray(0, pick(good.length)), Buffer.alloc(good.length)]).subarray(0, good.length),
  (good) => Buffer.alloc(good.length),
  (good, pick) => {
    const at = pick(good.length);
    const bytes = Buffer.from(good);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    return bytes;
  },
  (good, pick) => {
    const at = pick(good.length);
    return Buffer.concat([good.subarray(0, at), good.subarray(at + 1 + pick(200))]);
  },
  (good, pick) => Buffer.concat([good, good.subarray(pick(good.length))]),
  // Sectors of two files.
  (good, pick, other) =>
    Buffer.concat([good.subarray(0, pick(good.length)), other.subarray(pick(other.length))]),
  // Another Pod's file.
  (_, __, other) => other,
  // Another program's.
  (_, pick) =>
    Buffer.from(
      [
        "[]",
        "null",
        "{}",
        '{"pod_name":"atlas","spawned_children":[]}',
        "# atlas\n",
        "\ufeff{}",
        '{"schema":2}',
      ][pick(7)] ?? "",
    ),
  // Edited by hand, its checksum left: a child less, or a loan wider.
  (good) =>
    Buffer.from(good.toString().replace('"state": "live"', '"state": "starting"').replace("/w/src/", "/w/")),
  (good) => {
    const fields = JSON.parse(good.toString()) as { children: unknown[] };
    return Buffer.from(JSON.stringify({ ...fields, children: [] }, null, 2));
  },
  // White space only: nothing is wrong with it.
  (good) => Buffer.from(JSON.stringify(JSON.parse(good.toString()))),
];

/** @param read what a reader makes of the file; the store's, or a control's. */
export async function checkDamage(
  index: number,
  read: (store: PodStore, bytes: Buffer) => Promise<PodRecord | null>,
): Promise<void> {
  const pick = seeded(index);
  const { files, clock } = memoryHost({ seed: index });
  const store = createPodStore({ files, clock, dataDir: "/data" });
  const record = await randomPod(store, atlas, pick);
  const other = await randomPod(store, borea, pick);
  const path = store.pathOf(atlas);
  const bytesOf = async (pod: PodName): Promise<Buffer> =>
    Buffer.from((await files.read(store.pathOf(pod))) ?? []);
  const damage = damages[index % damages.length] ?? ((good) => good);
  const damaged = damage(await bytesOf(atlas), pick, await bytesOf(borea));
  await files.replace(path, damaged);

  const found = await read(store, damaged).catch((error: unknown) => error);
  if (!(found instanceof Error)) {
    assert.deepEqual(found, record, "another record was read than the one that was written");
    return;
  }
  assert.ok(found instanceof YoiError && found.code === "metadata_damaged", String(found));
  const { path: file, offset = -1 } = found.place ?? {};
  assert.ok(file === path && offset >= 0 && offset <= damaged.length, found.message);
  assert.ok(found.message.includes(`at byte ${offset} of ${path}`), found.message);
  // Nothing writes over it, and the others are as they were.
  for (const attempt of [
    store.update(atlas, record, { epoch: 99 }),
    store.putChild(atlas, record, child(9)),
    store.reclaimChild(atlas, record, nameOf(1), { reason: "lost", atMs: 1 }),
    store.setPeer(atlas, record, borea, other.pointer.session),
  ])
    await assert.rejects(attempt, { code: "metadata_damaged" });
  await assert.rejects(store.create({ name: atlas, pointer: kinPointer, manifest: {} }), {
    code: "pod_exists",
  });
  assert.deepEqual(await bytesOf(atlas), damaged);
  const [first, second] = await store.list();
  assert.ok(first !== undefined && "fault" in first && first.fault === "damaged" && first.name === atlas);
  assert.equal(first.error, found.message);
  assert.deepEqual(second, { name: borea, record: other });
}

export const damagedMetadata: Proof = {
  name: "damaged metadata is the very record or a refusal",
  cases: { test: 5 * damages.length, prove: 2_000 },
  check: (index) => checkDamage(index, (store) => store.read(atlas)),
};
