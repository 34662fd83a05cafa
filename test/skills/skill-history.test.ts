/** A prompt that begins with a skill: queued, taken back, rewound behind, forked. What is in history has the skill's text behind it, once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type InputPart, isKnown, podName, type PodName } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { forkPod, readActive } from "@yoi/pod";
import { openSkills } from "@yoi/tools";
import { simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { type Machine, open, place } from "./load-crash.ts";

const release: readonly InputPart[] = [
  { type: "skill_ref", name: "release" },
  { type: "text", text: " 1.2" },
];
const go: readonly InputPart[] = [{ type: "text", text: "go" }];

const machine = async (): Promise<Machine> => ({
  host: memoryHost({ seed: 1 }),
  leases: new Map(),
  desk: await openSkills([place]),
  recalls: true,
});

const storesOf = ({ host, leases }: Machine) => simulatedStores(host, leases);

/** The prompts of its history, and what it was given of the skill behind each, in their order. */
async function history(on: Machine, name: PodName = simulatedPod): Promise<readonly string[]> {
  const { entries } = (await readActive(storesOf(on), name)).view;
  return entries.filter(isKnown).flatMap((entry) => {
    if (entry.kind === "user_input") return [`input ${entry.seq}`];
    if (entry.kind !== "system_item" || !entry.item.body.startsWith("[Skill: release")) return [];
    return [
      entry.item.body.includes("was loaded before") ? "again" : (entry.item.body.split("\n").at(-1) ?? ""),
    ];
  });
}

const withoutSeq = (lines: readonly string[]) => lines.map((line) => line.replace(/ \d+$/, ""));

/** Id of its last input. */
const lastInput = async (on: Machine): Promise<string> =>
  (await history(on)).findLast((line) => line.startsWith("input"))?.slice("input ".length) ?? "";

test("queued, it brings the skill once the model is given it; taken back, it is what was typed", async () => {
  const on = await machine();
  const pod = await open(on);
  const running = pod.submit(go);
  const queued = async (submission: string) => pod.queue({ parts: release, submission, when: "run_end" });
  await queued("kept");
  const { id } = await queued("back");
  assert.deepEqual(await pod.unqueue(id), release);
  await running;
  await on.host.advance(1_000);
  await pod.close();
  assert.deepEqual(withoutSeq(await history(on)), ["input", "input", "Tag it."]);
});

test("gone back before it, it is handed back as it was typed, and brings the skill anew", async () => {
  const on = await machine();
  const pod = await open(on);
  await pod.submit(go);
  await pod.submit(release);
  const { input } = await pod.rewind({ id: await lastInput(on), side: "before" });
  assert.deepEqual(input, release);
  await pod.submit(release);
  await pod.submit(release);
  await pod.close();
  assert.deepEqual(withoutSeq(await history(on)), ["input", "Tag it.", "input", "again"]);
});

test("a fork before it has nothing of the skill, and one behind it knows that it has it", async () => {
  const on = await machine();
  const pod = await open(on);
  await pod.submit(go);
  await pod.submit(release);
  await pod.close();
  const rows = [
    {
      name: podName("before"),
      target: { id: await lastInput(on), side: "before" },
      input: release,
      has: "Tag it.",
    },
    { name: podName("behind"), target: null, input: null, has: "again" },
  ] as const;
  for (const { name, target, input, has } of rows) {
    const made = await forkPod(storesOf(on), {
      source: "sim",
      name,
      target,
      ids: on.host.ids,
      version: "0.0.0-sim",
    });
    assert.deepEqual(made.input, input, name);
    const forked: Machine = { ...on, desk: await openSkills([place]), name };
    const next = await open(forked);
    await next.submit(release);
    await next.close();
    assert.equal((await history(forked, name)).at(-1), has, name);
  }
});
