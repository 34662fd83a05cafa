/** Forks cut off by a crash or a failure of the disk, at each of their operations. */
import assert from "node:assert/strict";
import { podName } from "@yoi/base";
import type { DiskEffect } from "@yoi/host";
import { forkPod } from "@yoi/pod";
import { said, Scene } from "../../packages/pod/test/rewind/scene.ts";
import type { Proof } from "../support/proof.ts";

const fork = podName("fork");
const effects = ["crash", "EIO", "ENOSPC"] as const satisfies readonly DiskEffect[];
/** More than a fork has. */
const operationsMax = 20;

async function madeOnce(seed: number): Promise<Scene> {
  const scene = new Scene({}, seed);
  const pod = await scene.open();
  await scene.say(pod, "do one");
  await scene.driven(pod.close());
  return scene;
}

/** It is not there, or it is whole and can be opened. */
async function isThere(scene: Scene): Promise<boolean> {
  const record = await scene.driven(scene.stores.pods.read(fork));
  if (record === null) return false;
  assert.equal(
    said(await scene.state(await scene.active(fork))).length,
    said(await scene.state()).length + 1,
  );
  const pod = await scene.open({ name: fork });
  await scene.driven(pod.close());
  return true;
}

/** @param lies the control: the disk says that it took what it did not. */
export async function forkCase(index: number, lies = false): Promise<"made" | "failed" | "over"> {
  const effect = effects[index % effects.length] ?? "crash";
  const nth = 1 + (Math.floor(index / effects.length) % operationsMax);
  const scene = await madeOnce(index);
  const before = await scene.files();
  let seen = 0;
  scene.host.disk.plan = ({ kind }) => {
    if (lies) return kind === "sync" || kind === "sync_directory" ? "lie" : "pass";
    if (kind !== "read") seen += 1;
    return kind !== "read" && seen === nth ? effect : "pass";
  };
  const request = { source: "sim", name: fork, target: null, ids: scene.host.ids, version: "0.0.0-sim" };
  const made = await scene.driven(forkPod(scene.stores, request)).then(
    () => true,
    () => false,
  );
  scene.host.disk.plan = () => "pass";
  // Where its name refers to it though its last sync failed, nobody may take its log away; a power cut may then still take the name.
  const isNamed = effect !== "crash" && (await scene.driven(scene.stores.pods.read(fork))) !== null;
  scene.host.crash("power");
  scene.host = scene.host.restart();
  const there = await isThere(scene);
  if (made) assert.ok(there, `${effect} at operation ${nth}: what was said to be made is not there`);
  if (seen < nth) {
    assert.ok(made);
    return "over";
  }
  if (!there && effect !== "crash" && !isNamed)
    assert.deepEqual([...(await scene.files()).keys()], [...before.keys()], "something of it is left");
  return there ? "made" : "failed";
}

export const forkCrashes: Proof = {
  name: "forks cut off: there is none, or all of it",
  cases: { test: 24, prove: effects.length * operationsMax * 10 },
  async check(index) {
    await forkCase(index);
  },
};
