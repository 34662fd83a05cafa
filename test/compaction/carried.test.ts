/** What goes on over compactions: constraints, tasks, notices, what the user asked; and back, when one is undone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { idOf, isKnown, type CommittedItem } from "@yoi/base";
import { taskFeature } from "@yoi/builtin";
import { memoryHost } from "@yoi/host";
import type { ModelRequest } from "@yoi/model";
import { verifyPod } from "@yoi/pod";
import { simulatedPod, simulatedStores } from "../support/simulated-pod.ts";
import { answeringModel, type MadeAnswer } from "./answering-model.ts";
import { hookedFeature } from "./hooked-feature.ts";
import { openCompacting, storedTimeline, textInput, wordsOf } from "./bench.ts";

const contextWindow = 20_000;
const bodyOf = (items: readonly CommittedItem[], kind: string) =>
  items
    .flatMap(({ item }) => (item.type === "system_item" && item.kind === kind ? [item.body] : []))
    .join("\n");

test("over 20 compactions by a compactor that forgets everything every constraint, task, input and read file is still there", async () => {
  const host = memoryHost({ seed: 7 });
  const leases = new Map();
  const compactions = 20;
  // Wide enough that none happens by itself.
  const window = 60_000;
  const requests: ModelRequest[] = [];
  const open = () =>
    openCompacting({
      host,
      leases,
      contextWindow: window,
      features: [taskFeature()],
      // The first compactor finds what the user demands; all later ones forget it.
      compactor: (_request, n) => ({
        calls: [
          {
            name: "write_summary",
            args: {
              summary: "it went well",
              constraints: n === 0 ? ["Never push to main."] : [],
              current_work: "",
              files: [],
            },
          },
        ],
      }),
      answer: (request) => {
        requests.push(request);
        const last = request.items.at(-1)?.item;
        const text = last?.type === "user_message" ? JSON.stringify(last.parts) : "";
        if (text.includes("plan it"))
          return {
            calls: [1, 2, 3].map((one) => ({
              name: "TaskCreate",
              args: { subject: `task ${one}`, description: `do the thing ${one}` },
            })),
          };
        return text.includes("look")
          ? { calls: [{ name: "Blob", args: { bytes: 14_000 } }] }
          : { text: "done" };
      },
    });
  let pod = await open();
  await pod.submit(textInput("plan it: the release is on Friday. Never push to main."));
  for (let round = 0; round < compactions; round += 1) {
    for (let step = 0; step < 3; step += 1) await pod.submit(textInput(`look ${round} ${step}`));
    const done = await pod.compact();
    assert.ok(done.tokensAfter < done.tokensBefore, `${round}`);
    if (round % 5 === 4) {
      await pod.close();
      pod = await open();
    }
  }
  await pod.submit(textInput("and now?"));
  await pod.close();
  const timeline = await storedTimeline(host);
  assert.equal(timeline.length, compactions + 1);
  const items = requests.at(-1)?.items ?? [];
  assert.match(bodyOf(items, "user_inputs"), /Never push to main\./);
  assert.match(bodyOf(items, "user_inputs"), /plan it: the release is on Friday/);
  for (const one of [1, 2, 3]) assert.match(bodyOf(items, "feature_state"), new RegExp(`task ${one}`));
  assert.match(bodyOf(items, "summary"), /it went well/);
  const made = answeringModel({
    id: "model",
    contextWindow: window,
    answer: () => ({ text: "never asked" }),
  });
  const verified = await verifyPod(simulatedStores(host, leases), simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () => made,
  });
  assert.deepEqual(verified.problems, []);
  assert.ok(verified.wireChecked > compactions * 3);
});

test("a reminder that comes in exactly at the threshold is counted, durable, and in the next request behind the compaction, once", async () => {
  const host = memoryHost({ seed: 8 });
  const requests: ModelRequest[] = [];
  const reminder = wordsOf(6_000);
  const threshold = 8_000;
  let isDue = false;
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow,
    compaction: { threshold, request_threshold: threshold, prune_threshold: 17_000 },
    features: [
      hookedFeature(({ systemItems }) => {
        if (isDue) systemItems?.appendTaskReminder(reminder);
        isDue = false;
        return { action: "continue" };
      }),
    ],
    answer: (request): MadeAnswer => {
      requests.push(request);
      // Behind the third answer committed history alone is under the threshold, and with the reminder over it.
      if (requests.length === 3) isDue = true;
      return requests.length < 4 ? { calls: [{ name: "Blob", args: { bytes: 8_000 } }] } : { text: "done" };
    },
  });
  assert.equal((await pod.submit(textInput("go"))).outcome.kind, "finished");
  await pod.close();
  const [old, now] = await storedTimeline(host);
  assert.ok(old !== undefined && now !== undefined);
  assert.equal(requests.length, 4);
  const inOld = old.entries.filter((entry) => isKnown(entry) && entry.kind === "system_item");
  assert.equal(inOld.length, 1);
  assert.deepEqual(
    old.entries.slice(-3).map(({ kind }) => kind),
    ["system_item", "run_paused", "compaction_begun"],
  );
  assert.equal(bodyOf(requests.at(-1)?.items ?? [], "task_reminder"), reminder);
  assert.equal(bodyOf(now.state.items, "task_reminder"), reminder);
});

test("a hook that asks for it: compacted where that gains something, else the run pauses for its reason", async () => {
  const host = memoryHost({ seed: 9 });
  let asks = false;
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow,
    features: [hookedFeature(() => (asks ? { action: "yield", reason: "enough" } : { action: "continue" }))],
    answer: (request) => {
      asks = false;
      const last = request.items.at(-1)?.item;
      return last?.type === "user_message"
        ? { calls: [{ name: "Blob", args: { bytes: 24_000 } }] }
        : { text: "done" };
    },
  });
  asks = true;
  const small = await pod.submit(textInput("go"));
  assert.deepEqual([small.outcome.kind, (await storedTimeline(host)).length], ["yielded", 1]);
  asks = false;
  for (let round = 0; round < 2; round += 1) await pod.submit(textInput(`go ${round}`));
  asks = true;
  const report = await pod.submit(textInput("go on"));
  const timeline = await storedTimeline(host);
  assert.deepEqual([report.outcome.kind, timeline.length], ["yielded", 2]);
  const end = timeline.at(-1)?.entries.find((entry) => entry.kind === "compacted");
  assert.ok(end !== undefined && isKnown(end) && end.kind === "compacted");
  assert.equal(end.trigger, "hook");
  await pod.close();
});

test("undo: history is as it was before the compaction, what came since is kept and listed, and it can be done again", async () => {
  const host = memoryHost({ seed: 10 });
  const leases = new Map();
  const pod = await openCompacting({
    host,
    leases,
    contextWindow: 60_000,
    answer: (request) => {
      const last = request.items.at(-1)?.item;
      return last?.type === "user_message"
        ? { calls: [{ name: "Blob", args: { bytes: 12_000 } }] }
        : { text: "done" };
    },
  });
  await assert.rejects(pod.undoCompaction(), { code: "target_unknown" });
  for (let round = 0; round < 4; round += 1) await pod.submit(textInput(`go ${round}`));
  const [before] = await storedTimeline(host);
  await pod.compact();
  await pod.submit(textInput("since"));
  const spent = (await storedTimeline(host)).at(-1)?.state.spent;
  const undone = await pod.undoCompaction();
  const timeline = await storedTimeline(host);
  assert.equal(timeline.length, 3);
  const [old, left, now] = timeline;
  assert.ok(before !== undefined && old !== undefined && left !== undefined && now !== undefined);
  const known = now.state.items.filter(({ item }) => item.type !== "system_item" || item.kind !== "lineage");
  assert.deepEqual(
    known.map((one) => [idOf(one), one.item]),
    before.state.items.map((one) => [idOf(one), one.item]),
  );
  assert.deepEqual(undone.kept, [left.ref.segment]);
  assert.deepEqual([undone.entries["user_input"], undone.entries["llm_request"], undone.files], [1, 2, []]);
  assert.deepEqual(now.state.spent, spent);
  assert.equal((await pod.submit(textInput("go on"))).outcome.kind, "finished");
  await pod.compact();
  assert.equal((await storedTimeline(host)).length, 4);
  await pod.close();
});
