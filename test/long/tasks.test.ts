/** The Task feature over a compaction and a rewind of the Pod that it is installed in: its tools are the same ones all the time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem } from "@yoi/base";
import { taskFeature } from "@yoi/builtin";
import { memoryHost } from "@yoi/host";
import type { MadeAnswer } from "../compaction/answering-model.ts";
import { openCompacting, storedTimeline, textInput, wordsOf } from "../compaction/bench.ts";

const contextWindow = 20_000;

/** A Pod whose model makes the call that the input names. */
async function open() {
  const host = memoryHost({ seed: 26 });
  const results: string[] = [];
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow,
    features: [taskFeature()],
    answer: ({ items }) => {
      const last = items.at(-1)?.item;
      if (last?.type === "tool_result") results.push(last.summary.split("\n")[0] ?? "");
      return last?.type === "user_message" ? callOf(items) : { text: "Done." };
    },
  });
  const say = async (text: string): Promise<string> => {
    assert.equal((await pod.submit(textInput(text))).outcome.kind, "finished");
    return results.at(-1) ?? "";
  };
  return { host, pod, say };
}

function callOf(items: readonly CommittedItem[]): MadeAnswer {
  const asked = JSON.stringify(items.at(-1)?.item);
  if (asked.includes("list")) return { calls: [{ name: "TaskList", args: {} }] };
  const subject = /create (\w+)/.exec(asked)?.[1];
  return subject === undefined
    ? { text: wordsOf(12_000) }
    : { calls: [{ name: "TaskCreate", args: { subject, description: "" } }] };
}

const tasksNow = async (host: Awaited<ReturnType<typeof open>>["host"]) => {
  const last = (await storedTimeline(host)).at(-1);
  return JSON.stringify(last?.state.states["yoi.tasks"] ?? null);
};

test("A0-26: tasks and the next id are what they were behind a compaction, for the tools that were installed before", async () => {
  const { host, pod, say } = await open();
  await say("create first");
  assert.match(await say("create second"), /^created task 2 /);
  for (let times = 0; times < 3; times += 1) await say("talk");
  const before = pod.snapshot.segment;
  const done = await pod.compact();
  assert.notEqual(pod.snapshot.segment, before);
  assert.ok(done.tokensAfter < done.tokensBefore);
  const kept = await tasksNow(host);
  assert.match(kept, /"subject":"first".*"subject":"second".*"next_id":3|"next_id":3.*"subject":"first"/);
  assert.match(await say("list"), /^Tasks: 2 total, 2 pending/);
  assert.match(await say("create third"), /^created task 3 /);
  await pod.close();
});

test("A0-27: behind a rewind the tools that were installed before work on the tasks of the place that history went back to", async () => {
  const { host, pod, say } = await open();
  await say("create kept");
  const [, input] = [await say("talk"), (await pod.rewindTargets({ limit: 1 })).targets[0]];
  assert.ok(input !== undefined);
  assert.match(await say("create lost"), /^created task 2 /);
  await pod.rewind({ id: input.id, side: "before" });
  assert.match(await say("list"), /^Tasks: 1 total, 1 pending/);
  // The id is free again, as it was there.
  assert.match(await say("create again"), /^created task 2 /);
  assert.doesNotMatch(await tasksNow(host), /lost/);
  await pod.close();
});
