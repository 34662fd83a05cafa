/** Compaction that somebody asks for: what refuses it, before anything is asked of a model, and what is said of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@yoi/base";
import type { FeatureModule } from "@yoi/feature";
import { memoryHost } from "@yoi/host";
import type { Pod } from "@yoi/pod";
import { descriptorOf } from "../../packages/pod/test/feature/features.ts";
import type { MadeAnswer } from "./answering-model.ts";
import {
  blobTool,
  type CompactingOptions,
  openCompacting,
  shortSummary,
  storedTimeline,
  textInput,
} from "./bench.ts";

const step: MadeAnswer = { calls: [{ name: "Blob", args: { bytes: 8_000 } }] };
const said: MadeAnswer = { text: "done" };

async function lifeOf(options: Partial<CompactingOptions> = {}) {
  const host = options.host ?? memoryHost({ seed: 51 });
  const asked = { compactor: 0 };
  const { compactor = () => shortSummary } = options;
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow: 30_000,
    answer: (_request, n) => (n < 3 ? step : said),
    ...options,
    compactor: (request, n) => {
      asked.compactor += 1;
      return compactor(request, n);
    },
  });
  return { host, pod, asked };
}

test("where the system prompt and the tools are nearly all of a request no compactor is asked; control: behind some work one is", async () => {
  const { pod, asked } = await lifeOf({ answer: () => said });
  await pod.submit(textInput("hello"));
  await assert.rejects(pod.compact(), { code: "compaction_failed", message: /too little is gained\.$/ });
  assert.deepEqual([asked.compactor, pod.alerts], [0, []]);
  await pod.close();
  const worked = await lifeOf();
  await worked.pod.submit(textInput("do it"));
  assert.equal((await worked.pod.compact()).isByModel, true);
  assert.equal(worked.asked.compactor, 1);
  await worked.pod.close();
});

test("while calls have no result it is refused, and nothing is on record of it; behind the run that goes on it is done", async () => {
  const made: { pod: Pod | null } = { pod: null };
  // As one that waits for somebody's answer until the run is paused.
  const feature: FeatureModule = {
    descriptor: descriptorOf("builtin:remind", {
      hooks: [{ name: "hold", point: "pre_tool_call", required: true }],
    }),
    install: ({ hooks }) => {
      hooks.preToolCall("hold", async ({ toolName }) => {
        if (toolName === "Ask") made.pod?.pause();
        return { action: "continue" };
      });
    },
  };
  const ask: Tool = {
    definition: { name: "Ask", description: "Asks.", input_schema: { type: "object" } },
    readOnly: false,
    execute: async () => ({ summary: "asked" }),
  };
  const { host, pod, asked } = await lifeOf({
    tools: [blobTool, ask],
    features: [feature],
    answer: (_request, n) => [step, step, { calls: [{ name: "Ask", args: {} }] }][n] ?? said,
  });
  made.pod = pod;
  assert.equal((await pod.submit(textInput("do it"))).outcome.kind, "paused");
  const [before] = await storedTimeline(host);
  assert.equal(before?.state.unanswered.length, 1);
  await assert.rejects(pod.compact(), {
    code: "compaction_failed",
    message:
      "Nothing was compacted: the call of Ask has no result yet. Answer what waits for you (`yoi approve`) and go on with the run (`yoi pod resume`), or give it another input.",
  });
  const [after, ...more] = await storedTimeline(host);
  assert.deepEqual([after?.entries.length, more.length, asked.compactor], [before.entries.length, 0, 0]);
  made.pod = null;
  assert.equal((await pod.resume()).outcome.kind, "finished");
  await pod.compact();
  assert.equal((await storedTimeline(host)).length, 2);
  await pod.close();
});

test("cancel ends it, and what it is told is about the compaction; a provider that has to be waited for is said with its time", async () => {
  const host = memoryHost({ seed: 52 });
  const begun = Promise.withResolvers<void>();
  const limited: MadeAnswer = {
    failure: { kind: "rate_limit", message: "Come back later.", retryable: true, retryAfterMs: 3_600_000 },
  };
  const { pod } = await lifeOf({
    host,
    compactor: (_request, n) => {
      begun.resolve();
      return n === 0 ? { hangs: true } : limited;
    },
  });
  await pod.submit(textInput("do it"));
  const stopped = assert.rejects(pod.compact(), {
    code: "compaction_failed",
    message: "Compacting was stopped: history is as it was.",
  });
  await begun.promise;
  assert.equal(pod.cancel(), true);
  for (let tries = 0; tries < 10; tries += 1) await host.advance(1_000);
  await stopped;
  await assert.rejects(pod.compact(), {
    code: "compaction_failed",
    message: /^Nothing was compacted: Come back later\. Until \d{4}-\d\d-\d\dT[\d:.]+Z\.$/,
  });
  assert.equal((await storedTimeline(host)).length, 1);
  await pod.close();
});

test("whoever asked is told why no summary came, and only where none came", async () => {
  const alerts: (readonly string[])[] = [];
  const tooMuch = "x ".repeat(12_000);
  const wordy = {
    name: "write_summary",
    args: { summary: tooMuch, constraints: [], current_work: "", files: [] },
  };
  for (const answer of [{ text: "a nice session" }, shortSummary, { calls: [wordy] }]) {
    const { pod } = await lifeOf({ compactor: () => answer });
    await pod.submit(textInput("do it"));
    assert.equal((await pod.compact()).isByModel, answer === shortSummary);
    alerts.push(pod.alerts.map(({ message }) => message));
    await pod.close();
  }
  assert.deepEqual(alerts, [
    [
      "The compactor gave no usable summary: it ended without a summary, also when it was asked for one again. It is done by rules.",
    ],
    [],
    [alerts[2]?.[0] ?? "none"],
  ]);
  assert.match(
    alerts[2]?.[0] ?? "",
    /^The compactor gave no usable summary: its summary was too long again: /,
  );
});
