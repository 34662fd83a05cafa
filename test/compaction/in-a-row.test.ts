/** Runs whose material does not fit: they compact so often in a row and no more, over restarts too, and prune seldom. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown, type LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { Pod } from "@yoi/pod";
import { thrashCompactionsMax } from "../../packages/pod/src/compact/thrash.ts";
import type { MadeAnswer } from "./answering-model.ts";
import { openCompacting, storedTimeline, textInput } from "./bench.ts";

const contextWindow = 20_000;
const blob = (bytes: number): MadeAnswer => ({ calls: [{ name: "Blob", args: { bytes } }] });
const large = blob(28_000);
/** Without pruning it is compaction that makes room. */
const compaction = { prune_min_savings: 1_000_000 };
/** A run that has not ended after so many answers goes round. */
const endless = (n: number): MadeAnswer => (n < 100 ? large : { text: "it went round" });

function inRow(timeline: readonly { readonly entries: readonly LogEntry[] }[]): readonly unknown[] {
  return timeline.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      isKnown(entry) && entry.kind === "compacted" && entry.outcome === "committed" ? [entry.in_row] : [],
    ),
  );
}

test("a run that reads what does not fit again after each compaction ends in one clear state; the next input tries anew", async () => {
  const host = memoryHost({ seed: 21 });
  const pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow,
    compaction,
    answer: (_request, n) => endless(n),
  });
  for (const input of [1, 2]) {
    const { outcome } = await pod.submit(textInput("read it all"));
    assert.ok(outcome.kind === "failed" && outcome.failure.kind === "context_full");
    assert.match(
      outcome.failure.message,
      /fills the model's context again at once, and nothing was sent: .*; it was compacted 3 times in a row with fewer than 5 answers between\. Give it a narrower task/,
    );
    const rows = Array.from({ length: input }, () => [1, 2, 3]).flat();
    assert.deepEqual(inRow(await storedTimeline(host)), rows);
  }
  await pod.close();
});

test("how many there were in a row is known behind a restart, and behind a resume of the same run", async () => {
  const host = memoryHost({ seed: 23 });
  const leases = new Map();
  let pod: Pod | null = null;
  let closing: Promise<void> | null = null;
  const open = () =>
    openCompacting({
      host,
      leases,
      contextWindow,
      compaction,
      answer: (_request, n) => endless(n),
      committed: (entries) => {
        const second = entries.some((one) => isKnown(one) && one.kind === "compacted" && one.in_row === 2);
        if (second && pod !== null) closing ??= pod.close();
      },
    });
  pod = await open();
  const first = await pod.submit(textInput("read it all"));
  assert.equal(first.outcome.kind, "paused");
  await closing;
  pod = await open();
  const { outcome } = await pod.resume();
  assert.ok(outcome.kind === "failed" && outcome.failure.kind === "context_full");
  assert.deepEqual(
    inRow(await storedTimeline(host)),
    Array.from({ length: thrashCompactionsMax }, (_, one) => one + 1),
  );
  await pod.close();
});

for (const [what, bytes, talk, movesMax] of [
  ["results of a quarter of the window", 60_000, 0, 6],
  ["smaller ones behind much text", 20_000, 80_000, 4],
] as const)
  test(`pruning of ${what} moves seldom: each move makes a provider read anew what stands behind it`, async () => {
    const steps = 15;
    const host = memoryHost({ seed: 24 });
    const pod = await openCompacting({
      host,
      leases: new Map(),
      contextWindow: 60_000,
      answer: (_request, n) => (n < steps ? blob(bytes) : { text: "done" }),
    });
    assert.equal((await pod.submit(textInput(`go ${"x".repeat(talk)}`))).outcome.kind, "finished");
    const timeline = await storedTimeline(host);
    assert.equal(timeline.length, 1, "it was compacted");
    const moves = timeline[0]?.entries.filter(
      (entry) => isKnown(entry) && entry.kind === "projection",
    ).length;
    assert.ok(moves !== undefined && moves > 0 && moves <= movesMax, `${moves} moves in ${steps} steps`);
    await pod.close();
  });
