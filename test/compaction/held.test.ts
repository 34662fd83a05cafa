/** What keeps a compactor from asking its model keeps the run from it too: a used budget ends it, a limit of its provider pauses it, and history stays. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, type LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { ModelFailure } from "@yoi/model";
import type { MadeAnswer } from "./answering-model.ts";
import {
  type CompactingOptions,
  compactorsOf,
  openCompacting,
  shortSummary,
  storedSegment,
  storedTimeline,
  textInput,
} from "./bench.ts";

const step: MadeAnswer = { calls: [{ name: "Blob", args: { bytes: 8_000 } }] };
const hourMs = 3_600_000;
const kinds = (entries: readonly LogEntry[]) => entries.map(({ kind }) => kind);
const limited: MadeAnswer = {
  failure: { kind: "rate_limit", message: "Come back later.", retryable: true, retryAfterMs: hourMs },
};
const lost: ModelFailure = { kind: "network", message: "Nobody is there.", retryable: true };

/** A Pod whose run compacts once, and what was asked of its model and of its compactor. */
async function lifeOf(options: Partial<CompactingOptions> = {}) {
  const host = memoryHost({ seed: 41 });
  const asked = { model: 0, compactor: 0 };
  const { compactor = () => shortSummary } = options;
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow: 20_000,
    answer: (_request, n) => {
      asked.model += 1;
      return n < 9 ? step : { text: "all done" };
    },
    ...options,
    compactor: (request, n) => {
      asked.compactor += 1;
      return compactor(request, n);
    },
    compaction: { prune_threshold: 17_000 },
  });
  return { host, pod, asked };
}

const explores = (_request: unknown, n: number): MadeAnswer =>
  n === 0 ? { calls: [{ name: "Nope", args: {} }] } : shortSummary;

test("a budget that is used up in the middle of a compaction ends the run: nothing more is sent, and history is as it was", async () => {
  // Control: how far the run comes before its compactor asks.
  let before = -1;
  const free = await lifeOf({
    compactor: (request, n) => {
      if (before === -1) before = free.asked.model;
      return explores(request, n);
    },
  });
  assert.equal((await free.pod.submit(textInput("do it"))).outcome.kind, "finished");
  assert.deepEqual([free.asked.compactor, (await storedTimeline(free.host)).length], [2, 2]);
  await free.pod.close();

  const { host, pod, asked } = await lifeOf({ compactor: explores, budget: { max_turns: before + 1 } });
  const { outcome } = await pod.submit(textInput("do it"));
  const max = before + 1;
  assert.deepEqual(outcome, { kind: "limit_reached", limit: "budget", key: "max_turns", max, used: max });
  assert.deepEqual(asked, { model: before, compactor: 1 });
  const [only, ...more] = await storedTimeline(host);
  assert.ok(only !== undefined && more.length === 0);
  assert.deepEqual(kinds(only.entries).slice(-5), [
    "run_paused",
    "compaction_begun",
    "compacted",
    "invoke",
    "run_completed",
  ]);
  const [compactor] = compactorsOf([only]);
  assert.ok(compactor !== undefined);
  assert.equal((await storedSegment(host, { ...only.ref, segment: compactor })).state.spent.requests, 1);
  assert.equal(only.state.spent.requests, before + 1);
  // By hand it is no other, and it says which budget that is.
  await assert.rejects(pod.compact(), {
    code: "compaction_failed",
    message: /^Nothing was compacted: the budget of the Pod and its children is used up/,
  });
  assert.deepEqual(asked, { model: before, compactor: 1 });
  await pod.close();
});

test("a provider that limits the compactor pauses the run until it takes requests again, and then a model summarises", async () => {
  const { host, pod, asked } = await lifeOf({
    compactor: (_request, n) => (n === 0 ? limited : shortSummary),
  });
  const { outcome } = await pod.submit(textInput("do it"));
  assert.ok(outcome.kind === "paused");
  assert.deepEqual([outcome.reason, outcome.detail], ["provider_limit", "Come back later."]);
  assert.equal((await storedTimeline(host)).length, 1);
  await host.advance(hourMs / 2);
  assert.deepEqual([pod.snapshot.state, asked.compactor], ["paused", 1]);
  await host.advance(hourMs);
  assert.deepEqual([pod.snapshot.state, asked], ["idle", { model: 10, compactor: 2 }]);
  const [, now] = await storedTimeline(host);
  const end = now?.entries.find((entry) => entry.kind === "compacted");
  assert.ok(end !== undefined && isKnown(end) && end.kind === "compacted");
  assert.deepEqual([end.outcome, end.compactor !== null], ["committed", true]);
  assert.deepEqual(pod.alerts, []);
  await pod.close();
});

test("pauses of compactors and of the run count together, over a compaction by hand too: each waits twice as long", async () => {
  let isLost = false;
  const { host, pod } = await lifeOf({
    answer: (_request, n) => {
      if (isLost) return { failure: lost };
      return n < 9 ? step : { text: "all done" };
    },
    compactor: (_request, n) => (n < 2 ? { failure: lost } : shortSummary),
  });
  await pod.submit(textInput("do it"));
  await host.advance(20_000);
  assert.equal(pod.snapshot.state, "paused");
  isLost = true;
  await pod.compact();
  assert.equal(pod.snapshot.state, "paused");
  await host.advance(200_000);
  isLost = false;
  await host.advance(hourMs);
  assert.equal(pod.snapshot.state, "idle");
  await pod.close();
  const waits = (await storedTimeline(host)).map(({ entries }) =>
    entries.flatMap((entry) =>
      isKnown(entry) && entry.kind === "run_paused" && entry.until !== undefined
        ? [Math.ceil((entry.until - entry.ts) / 1000)]
        : [],
    ),
  );
  assert.deepEqual(waits, [
    [15, 30],
    [60, 120],
  ]);
});

test("a limit of another provider, which the Pod's own model does not have, is no reason to wait: rules do it", async () => {
  const { host, pod, asked } = await lifeOf({ compactor: () => limited, compactorProvider: "other" });
  assert.equal((await pod.submit(textInput("do it"))).outcome.kind, "finished");
  assert.deepEqual([asked.compactor, (await storedTimeline(host)).length], [1, 2]);
  assert.match(pod.alerts[0]?.message ?? "", /it is done by rules\.$/);
  await pod.close();
});
