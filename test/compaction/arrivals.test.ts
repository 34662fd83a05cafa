/** What comes in while a run compacts: it is in the new segment, in the next request and in the measure of the result, each once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnown } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { ModelRequest } from "@yoi/model";
import type { Pod } from "@yoi/pod";
import type { SessionStore } from "@yoi/session-store";
import { overriding } from "../support/overriding.ts";
import type { MadeAnswer } from "./answering-model.ts";
import {
  type CompactingOptions,
  openCompacting,
  shortSummary,
  storedTimeline,
  textInput,
  wordsOf,
} from "./bench.ts";

const contextWindow = 20_000;
const step = (bytes: number): MadeAnswer => ({ calls: [{ name: "Blob", args: { bytes } }] });

/** Told by a model, with what it was asked. */
const told = ({ items }: ModelRequest): readonly string[] =>
  items.flatMap(({ item }) =>
    item.type === "system_item" && ["notification", "pod_event"].includes(item.kind) ? [item.body] : [],
  );

/** A run of ten steps that compacts; `meanwhile` happens while its compactor is asked, `moving` while the new segment is written. */
async function lifeOf(
  meanwhile: (pod: Pod) => readonly Promise<unknown>[],
  moving: (pod: Pod) => readonly Promise<unknown>[] = () => [],
  more: Partial<CompactingOptions> = {},
) {
  const host = memoryHost({ seed: 51 });
  const requests: ModelRequest[] = [];
  const sent: Promise<unknown>[] = [];
  let before = -1;
  let pod: Pod | null = null;
  const happens = (what: typeof meanwhile) => {
    if (pod !== null) sent.push(...what(pod));
  };
  pod = await openCompacting({
    host,
    leases: new Map(),
    contextWindow,
    compaction: { prune_threshold: 17_000 },
    answer: (request, n) => {
      requests.push(request);
      if (n === 9) return { text: "all done" };
      // Of a small window nothing but the notices is to fill the rest.
      return step(n > 5 && more.contextWindow !== undefined ? 400 : 8_000);
    },
    compactor: (_request, n) => {
      if (n === 0) {
        before = requests.length;
        happens(meanwhile);
      }
      return shortSummary;
    },
    wrapSessions: (sessions: SessionStore) =>
      overriding(sessions, {
        create: (start, ...rest) => {
          if (start.purpose === undefined && start.generation === 1) happens(moving);
          return sessions.create(start, ...rest);
        },
      }),
    ...more,
  });
  const report = await pod.submit(textInput("do it"));
  await Promise.all(sent);
  return { host, pod, report, requests, next: () => requests[before] ?? assert.fail("nothing was asked") };
}

test("notices and child events that come in during a compaction are in the new segment and in the next request, each once", async () => {
  const { host, pod, report, requests, next } = await lifeOf(
    (pod) => [
      pod.notify({ source: "ci", message: "The build is red.", submission: "n-1" }),
      pod.notify({ kind: "pod_event", source: "child", message: "child ended", submission: "n-2" }),
      pod.notify({ source: "ci", message: "Be quiet.", quiet: true }),
    ],
    (pod) => [pod.notify({ source: "ci", message: "While it moves." })],
  );
  assert.deepEqual([report.outcome.kind, report.followed], ["finished", []]);
  const all = ["The build is red.", "child ended", "Be quiet.", "While it moves."];
  assert.deepEqual(told(next()), all);
  assert.deepEqual(told(requests.at(-1) ?? next()), all);
  assert.equal(pod.snapshot.waiting, 0);
  const timeline = await storedTimeline(host);
  assert.equal(timeline.length, 2);
  const bodies = timeline.map(({ entries }) =>
    entries.flatMap((entry) => {
      if (!isKnown(entry)) return [];
      if (entry.kind === "inbox_accepted") return [`in: ${entry.item.body}`];
      if (entry.kind === "carried" && entry.of === "inbox_accepted") return [`on: ${entry.item.body}`];
      return entry.kind === "system_item" && entry.delivers !== undefined ? [`told: ${entry.item.body}`] : [];
    }),
  );
  const [one, two, three, last] = all;
  assert.deepEqual(bodies, [
    [one, two, three].map((body) => `in: ${body}`),
    [...[one, two, three].map((body) => `on: ${body}`), `in: ${last}`, ...all.map((body) => `told: ${body}`)],
  ]);
  // What came in under a name is a repeat in the new segment too.
  const again = await pod.notify({ source: "ci", message: "The build is red.", submission: "n-1" });
  assert.equal(again.duplicate, true);
  await pod.close();
});

test("what waits is counted in the result of a compaction: the next request has room for it, and the run goes on", async () => {
  const large = wordsOf(16 * 1024);
  const sizes: number[] = [];
  const { host, pod, report, next } = await lifeOf(
    (pod) => [1, 2, 3].map(() => pod.notify({ source: "ci", message: large })),
    () => [],
    { sent: (_request, tokens) => sizes.push(tokens) },
  );
  assert.deepEqual(report.outcome, { kind: "finished", text: "all done" });
  assert.equal(told(next()).length, 3);
  const limit = 17_100;
  assert.ok(
    sizes.every((tokens) => tokens <= limit),
    String(sizes),
  );
  const end = (await storedTimeline(host))[1]?.entries.find((entry) => entry.kind === "compacted");
  assert.ok(end !== undefined && isKnown(end) && end.kind === "compacted");
  assert.ok((end.tokens_after ?? 0) > 3 * 4096 && (end.tokens_after ?? 0) <= limit, `${end.tokens_after}`);
  await pod.close();
});

test("more notices than a request has room for: they are told and cut, and the run goes on", async () => {
  const large = wordsOf(16 * 1024);
  const sizes: number[] = [];
  const { host, pod, report, requests } = await lifeOf(
    (pod) =>
      [1, 2, 3, 4, 5, 6, 7].map((n) => pod.notify({ source: "ci", message: `${n}. ${large}`.slice(0, -4) })),
    () => [],
    { contextWindow: 14_000, sent: (_request, tokens) => sizes.push(tokens) },
  );
  assert.deepEqual(report.outcome, { kind: "finished", text: "all done" });
  const heads = requests.flatMap((request) => told(request).map((body) => body.slice(0, 2)));
  assert.deepEqual([...new Set(heads)], ["1.", "2.", "3.", "4.", "5.", "6.", "7."]);
  const window = 14_000 - 1_400;
  assert.ok(
    sizes.every((tokens) => tokens <= window),
    String(sizes),
  );
  assert.deepEqual([pod.snapshot.waiting, (await storedTimeline(host)).length], [0, 4]);
  await pod.close();
});
