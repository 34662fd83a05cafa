/** Compaction within a run: what leads to it, what is on record of it, and how the run ends. */
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

const kinds = (entries: readonly LogEntry[]) => entries.map(({ kind }) => kind);
const window = 20_000;
const step = (n: number): MadeAnswer => ({
  text: `step ${n}`,
  calls: [{ name: "Blob", args: { bytes: 8_000 } }],
});
/** So many steps, then the answer. */
const stepping = (steps: number) => (_request: unknown, n: number) =>
  n < steps ? step(n) : { text: "all done" };

async function lifeOf(options: Partial<CompactingOptions> = {}) {
  const host = options.host ?? memoryHost({ seed: 1 });
  const leases = new Map();
  const sizes: number[] = [];
  const states: string[] = [];
  const turns: number[] = [];
  const pod = await openCompacting({
    host,
    leases,
    contextWindow: window,
    answer: stepping(12),
    sent: (_request, tokens) => sizes.push(tokens),
    observer: (event) => {
      if (event.type === "state") states.push(event.state);
      if (event.type === "turn_start") turns.push(event.turn);
    },
    ...options,
    // Without pruning it is compaction that makes room.
    compaction: { prune_threshold: 17_000, ...options.compaction },
  });
  return { host, leases, pod, sizes, states, turns };
}

function endsOf(entries: readonly LogEntry[]) {
  return entries.flatMap((entry) =>
    isKnown(entry) && entry.kind === "compacted" ? [[entry.trigger, entry.outcome]] : [],
  );
}

function whyFailed(entries: readonly LogEntry[]): string {
  const end = entries.findLast((entry) => entry.kind === "compacted");
  return end !== undefined && isKnown(end) && end.kind === "compacted" ? (end.message ?? "") : "";
}

test("a run that grows over its threshold goes on in a smaller history, as one run, and its compactor is on record and counted", async () => {
  const { host, pod, sizes, states, turns } = await lifeOf();
  const report = await pod.submit(textInput("do it, and never push"));
  assert.deepEqual(report.outcome, { kind: "finished", text: "all done" });
  assert.deepEqual([report.turns, report.followed.length, states], [13, 0, ["running", "idle"]]);
  assert.deepEqual(
    [...new Set(turns)],
    Array.from({ length: 13 }, (_, n) => n),
  );
  const { usage } = pod.snapshot;
  assert.deepEqual(report.usage, usage);
  await pod.close();
  const [old, now, ...more] = await storedTimeline(host);
  assert.ok(old !== undefined && now !== undefined && more.length === 0);
  assert.deepEqual(kinds(old.entries).slice(-2), ["run_paused", "compaction_begun"]);
  assert.deepEqual(
    kinds(now.entries)
      .slice(now.entries.findIndex(({ kind }) => kind === "opened"))
      .slice(0, 4),
    ["opened", "tools_changed", "compacted", "invoke"],
  );
  const compacted = now.entries.find((entry) => entry.kind === "compacted");
  assert.ok(compacted !== undefined && isKnown(compacted) && compacted.kind === "compacted");
  const [compactor] = compactorsOf([old]);
  assert.ok(compactor !== undefined);
  const segment = await storedSegment(host, { ...old.ref, segment: compactor });
  assert.equal(segment.state.run.state, "idle");
  assert.deepEqual(compacted.spent, segment.state.spent);
  assert.equal(segment.state.spent.requests, 1);
  assert.equal(now.state.spent.requests, sizes.length + 1);
  const limit = 0.95 * (window - window / 10);
  assert.ok(
    sizes.every((tokens) => tokens <= limit),
    String(sizes),
  );
  assert.ok((compacted.tokens_after ?? 0) < compacted.tokens_before - 1_024);
});

const failed = (message: string): MadeAnswer => ({
  failure: { kind: "server", message, retryable: false },
});
const compactors: readonly (readonly [string, (n: number) => MadeAnswer, RegExp])[] = [
  ["says nothing of use", () => ({ text: "a nice session" }), /ended without a summary/],
  ["fails", () => failed("It is down."), /It is down\./],
  ["calls unknown tools for ever", () => ({ calls: [{ name: "Nope", args: {} }] }), /no summary in 20 turns/],
  [
    "writes too much, twice",
    () => ({ calls: [{ name: "write_summary", args: { summary: "x".repeat(40_000) } }] }),
    /too long again/,
  ],
];
for (const [what, answer, why] of compactors)
  test(`a compactor that ${what}: it is on record why, and rules do it`, async () => {
    const { host, pod } = await lifeOf({ compactor: (_request, n) => answer(n) });
    const report = await pod.submit(textInput("do it"));
    assert.equal(report.outcome.kind, "finished");
    assert.deepEqual(
      pod.alerts.map(({ message }) => message),
      ["The compactor gave no usable summary: it is done by rules."],
    );
    await pod.close();
    const [old, now] = await storedTimeline(host);
    assert.match(whyFailed(old?.entries ?? []), why);
    assert.deepEqual(endsOf(old?.entries ?? []), [["threshold", "failed"]]);
    assert.deepEqual(endsOf(now?.entries ?? []), [["threshold", "committed"]]);
    const [tried] = compactorsOf(old === undefined ? [] : [old]);
    assert.ok(tried !== undefined && old !== undefined && now !== undefined);
    const compactor = await storedSegment(host, { ...old.ref, segment: tried });
    const own = now.entries.filter(({ kind }) => kind === "llm_usage").length;
    const before = old.entries.filter(({ kind }) => kind === "llm_usage").length;
    assert.equal(now.state.spent.requests, own + before + compactor.state.spent.requests);
  });

test("a compactor that hangs is given up, and rules do it", async () => {
  const host = memoryHost({ seed: 4 });
  const { pod } = await lifeOf({ host, compactor: () => ({ hangs: true }) });
  const done = pod.submit(textInput("do it"));
  for (let tries = 0; tries < 400 && pod.alerts.length === 0; tries += 1) await host.advance(5_000);
  assert.equal((await done).outcome.kind, "finished");
  const [old] = await storedTimeline(host);
  assert.match(whyFailed(old?.entries ?? []), /had not ended after 600 s/);
  await pod.close();
});

for (const [verb, outcome] of [
  ["cancel", "cancelled"],
  ["pause", "paused"],
] as const)
  test(`${verb} while a run compacts ends it: nothing has changed, and the next run tries anew`, async () => {
    const host = memoryHost({ seed: 5 });
    const asked = Promise.withResolvers<void>();
    const { pod } = await lifeOf({
      host,
      compactor: (_request, n) => {
        asked.resolve();
        return n === 0 ? { hangs: true } : shortSummary;
      },
    });
    const done = pod.submit(textInput("do it"));
    await Promise.race([asked.promise, done]);
    assert.equal(pod[verb](), true);
    for (let tries = 0; tries < 10; tries += 1) await host.advance(1_000);
    assert.equal((await done).outcome.kind, outcome);
    assert.equal((await storedTimeline(host)).length, 1);
    const [only] = await storedTimeline(host);
    assert.deepEqual(endsOf(only?.entries ?? []), [["threshold", "failed"]]);
    const next = verb === "pause" ? await pod.resume() : await pod.submit(textInput("go on"));
    assert.equal(next.outcome.kind, "finished");
    assert.equal((await storedTimeline(host)).length, 2);
    await pod.close();
  });

const tooLong: ModelFailure = { kind: "context_overflow", message: "Too long.", retryable: false };

test("a provider that finds a request too long: it is compacted, with half of the end where that is not enough, and then no more", async () => {
  for (const [refusals, outcome, segments] of [
    [1, "finished", 2],
    [2, "finished", 3],
    [3, "failed", 3],
  ] as const) {
    let refused = 0;
    const { host, pod } = await lifeOf({
      answer: (_request, n) => {
        if (n < 5) return step(n);
        if (refused === refusals) return { text: "all done" };
        refused += 1;
        return { failure: tooLong };
      },
    });
    const report = await pod.submit(textInput("do it"));
    assert.equal(report.outcome.kind, outcome, `${refusals}`);
    if (report.outcome.kind === "failed") assert.equal(report.outcome.failure.kind, "context_full");
    await pod.close();
    const timeline = await storedTimeline(host);
    assert.equal(timeline.length, segments, `${refusals}`);
    assert.deepEqual(endsOf(timeline.at(-1)?.entries ?? []), [["context_overflow", "committed"]]);
  }
});

test("what cannot be made to fit stops in one clear state, nothing is sent, and the next run tries anew", async () => {
  const sizes: number[] = [];
  const { host, pod } = await lifeOf({
    answer: () => ({ text: "never" }),
    sent: (_request, tokens) => sizes.push(tokens),
    compaction: { limit: 50, threshold: 50, request_threshold: 50 },
    compactor: () => assert.fail("a compactor was asked where nothing can be gained"),
  });
  for (const [runs, input] of ["do it", "again"].entries()) {
    const report = await pod.submit(textInput(input));
    assert.ok(report.outcome.kind === "failed");
    assert.equal(report.outcome.failure.kind, "context_full");
    assert.match(
      report.outcome.failure.message,
      /^The history does not fit .* about \d+ tokens, and at most 50 are ever sent \(`compaction\.limit`\);/,
    );
    const [only] = await storedTimeline(host);
    const tries = endsOf(only?.entries ?? []);
    assert.equal(tries.length, runs + 1);
    assert.deepEqual(kinds(only?.entries ?? []).slice(-2), ["invoke", "run_errored"]);
  }
  assert.deepEqual(sizes, []);
  await pod.close();
});

test("switched off, nothing compacts by itself: over the limit the run ends, below it goes on; by hand it does", async () => {
  const { host, pod } = await lifeOf({ compaction: { enabled: false }, answer: stepping(8) });
  assert.equal((await pod.submit(textInput("do it"))).outcome.kind, "finished");
  const large = { name: "Blob", args: { bytes: 60_000 } };
  const full = await lifeOf({ compaction: { enabled: false }, answer: () => ({ calls: [large, large] }) });
  const { outcome } = await full.pod.submit(textInput("do it"));
  assert.ok(outcome.kind === "failed" && outcome.failure.kind === "context_full");
  assert.match(
    outcome.failure.message,
    /switched off \(`compaction\.enabled`\), and `yoi pod compact` does it by hand\./,
  );
  await full.pod.close();
  assert.equal((await storedTimeline(host)).length, 1);
  const done = await pod.compact();
  assert.ok(done.tokensAfter < done.tokensBefore && done.isByModel);
  assert.equal((await storedTimeline(host)).length, 2);
  await pod.close();
});
