/** What surrounds a run goes on over its compaction: hooks at its end, runs that notices begin, and a resume right behind it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { OnTurnEndAction } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import type { ModelRequest } from "@yoi/model";
import type { Pod } from "@yoi/pod";
import { isKnown } from "@yoi/base";
import { descriptorOf } from "../../packages/pod/test/feature/features.ts";
import type { MadeAnswer } from "./answering-model.ts";
import {
  blobTool,
  type CompactingOptions,
  openCompacting,
  storedTimeline,
  textInput,
  wordsOf,
} from "./bench.ts";

const contextWindow = 20_000;
const compaction = { prune_threshold: 17_000 };
const step: MadeAnswer = { calls: [{ name: "Blob", args: { bytes: 8_000 } }] };
const stepping = (_request: ModelRequest, n: number): MadeAnswer => (n < 9 ? step : { text: "all done" });

function open(host: ReturnType<typeof memoryHost>, more: Partial<CompactingOptions> = {}) {
  return openCompacting({ host, leases: new Map(), contextWindow, compaction, answer: stepping, ...more });
}

for (const [what, action, outcome] of [
  ["finishes", { action: "finish" }, "finished"],
  ["pauses", { action: "pause", reason: "look at it" }, "paused"],
] as const satisfies readonly (readonly [string, OnTurnEndAction, string])[])
  test(`a turn-end hook that ${what} is asked once for a run that compacted, at its end`, async () => {
    const host = memoryHost({ seed: 71 });
    const previews: string[] = [];
    const pod = await open(host, {
      features: [
        {
          descriptor: descriptorOf("builtin:ends", {
            hooks: [{ name: "end", point: "on_turn_end", required: true }],
          }),
          install: ({ hooks }) =>
            hooks.onTurnEnd("end", ({ finalTextPreview }) => {
              previews.push(finalTextPreview);
              return action;
            }),
        },
      ],
    });
    assert.equal((await pod.submit(textInput("do it"))).outcome.kind, outcome);
    assert.deepEqual(previews, ["all done"]);
    assert.equal((await storedTimeline(host)).length, 2);
    await pod.close();
  });

test("a run that a notice began compacts as any other: the notice is told once, before it, and what came in meanwhile once behind it", async () => {
  const host = memoryHost({ seed: 72 });
  const requests: ModelRequest[] = [];
  const ended: string[] = [];
  const sent: Promise<unknown>[] = [];
  let pod: Pod | null = null;
  pod = await open(host, {
    // Of a window that the first input nearly fills: the notice goes over its threshold.
    answer: (request, n) => {
      requests.push(request);
      return { text: n === 0 ? wordsOf(4_000) : "told" };
    },
    compactor: () => {
      if (pod !== null) sent.push(pod.notify({ source: "ci", message: "Second." }));
      return {
        calls: [
          {
            name: "write_summary",
            args: { summary: "so far", constraints: [], current_work: "", files: [] },
          },
        ],
      };
    },
    observer: (event) => {
      if (event.type === "run_ended") ended.push(event.report.outcome.kind);
    },
  });
  await pod.submit(textInput(wordsOf(44_000)));
  await pod.notify({ source: "ci", message: `First. ${wordsOf(4_000)}` });
  for (let turns = 0; ended.length < 2 && turns < 50; turns += 1) await host.advance(10);
  await Promise.all(sent);
  assert.deepEqual(ended, ["finished", "finished"]);
  const timeline = await storedTimeline(host);
  assert.equal(timeline.length, 2);
  const told = requests
    .at(-1)
    ?.items.flatMap(({ item }) =>
      item.type === "system_item" && item.kind === "notification" ? [item.body.slice(0, 7)] : [],
    );
  assert.deepEqual(told, ["First. ", "Second."]);
  assert.deepEqual(
    timeline.flatMap(({ entries }) =>
      entries.flatMap((entry) => (isKnown(entry) && entry.kind === "invoke" ? [entry.trigger] : [])),
    ),
    ["user_send", "notify", "resume"],
  );
  assert.deepEqual([pod.snapshot.waiting, pod.snapshot.state], [0, "idle"]);
  await pod.close();
});

test("a process that ends right behind a compaction leaves a run to resume: each step is done once, and it is not compacted again", async () => {
  const host = memoryHost({ seed: 73 });
  const leases = new Map();
  let calls = 0;
  const counting = {
    ...blobTool,
    execute: (...given: Parameters<typeof blobTool.execute>) => {
      calls += 1;
      return blobTool.execute(...given);
    },
  };
  let pod: Pod | null = null;
  let closing: Promise<void> | null = null;
  let asked = 0;
  const openIt = () =>
    open(host, {
      leases,
      tools: [counting],
      // Of both processes.
      answer: (request) => stepping(request, asked++),
      committed: (entries) => {
        if (pod !== null && entries.some(({ kind }) => kind === "compacted")) closing ??= pod.close();
      },
    });
  pod = await openIt();
  const { outcome } = await pod.submit(textInput("do it"));
  assert.deepEqual([outcome.kind, calls < 9], ["paused", true]);
  await closing;
  const before = calls;
  const again = await openIt();
  assert.deepEqual([again.snapshot.state, calls], ["paused", before]);
  assert.deepEqual((await again.resume()).outcome, { kind: "finished", text: "all done" });
  assert.equal(calls, 9);
  assert.equal((await storedTimeline(host)).length, 2);
  await again.close();
});
