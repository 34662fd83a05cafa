/** The interceptor matrix: every action of every point, by what history, the request and the outcome become. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SystemItem } from "@yoi/base";
import type { ContextSize, LoopPoints, RunOutcome } from "../src/index.ts";
import { bytesPerTokenMin } from "../src/item-size.ts";
import { bench, tool } from "./support/bench-worker.ts";

const note = (body: string): SystemItem => ({
  type: "system_item",
  kind: "task_reminder",
  source: "builtin:task",
  body,
});
const twoCalls = `
steps:
  - tool_calls:
      - { name: Echo, arguments: { say: a } }
      - { name: Echo, arguments: { say: b } }
  - text: end
`;

interface Case {
  readonly what: string;
  readonly points: Partial<LoopPoints>;
  readonly outcome: RunOutcome;
  /** After `user: go`. */
  readonly story: readonly string[];
  readonly requests: number;
  readonly aborted?: readonly string[];
}

const answered = [
  'call: Echo {"say":"a"}',
  'call: Echo {"say":"b"}',
  "result: said a",
  "result: said b",
  "text: end",
];
const finished: RunOutcome = { kind: "finished", text: "end" };
const notRun = [
  'call: Echo {"say":"a"}',
  'call: Echo {"say":"b"}',
  "error: not executed",
  "error: not executed",
];
const onB = (args: { [key: string]: unknown }) => args["say"] === "b";

const matrix: readonly Case[] = [
  { what: "nothing", points: {}, outcome: finished, story: answered, requests: 2 },
  {
    what: "threshold on committed",
    points: {
      threshold: (_size, phase) => (phase === "committed" ? "too large" : null),
      preRequest: () => assert.fail("asked"),
    },
    outcome: { kind: "yielded", reason: "too large", by: { kind: "threshold" } },
    story: [],
    requests: 0,
  },
  {
    what: "threshold on effective",
    points: {
      preRequest: async () => ({ action: "continue", queued: [note("q")] }),
      threshold: (_size, phase) => (phase === "effective" ? "too large with it" : null),
    },
    outcome: { kind: "yielded", reason: "too large with it", by: { kind: "threshold" } },
    story: ["note: task_reminder"],
    requests: 0,
  },
  {
    what: "pre-request continue with queued",
    points: {
      preRequest: async ({ turn }) => ({
        action: "continue",
        queued: turn === 0 ? [note("q"), note("r")] : [],
      }),
    },
    outcome: finished,
    story: ["note: task_reminder", "note: task_reminder", ...answered],
    requests: 2,
  },
  {
    what: "pre-request yield",
    points: { preRequest: async () => ({ action: "yield", reason: "compaction" }) },
    outcome: { kind: "yielded", reason: "compaction", by: { kind: "hook" } },
    story: [],
    requests: 0,
  },
  {
    what: "pre-request cancel",
    points: { preRequest: async () => ({ action: "cancel", reason: "no" }) },
    outcome: { kind: "aborted", reason: "no" },
    story: [],
    requests: 0,
    aborted: ["no"],
  },
  {
    what: "pre-request throws",
    points: { preRequest: () => Promise.reject(new Error("broken")) },
    outcome: { kind: "aborted", reason: "a pre-request hook failed: broken" },
    story: [],
    requests: 0,
    aborted: ["a pre-request hook failed: broken"],
  },
  {
    what: "gate denies one",
    points: {
      gate: async ({ args }) =>
        onB(args) ? { action: "deny", reason: "not that", refusal: "denied" } : { action: "allow" },
    },
    outcome: finished,
    story: [
      'call: Echo {"say":"a"}',
      'call: Echo {"say":"b"}',
      "error: not that",
      "result: said a",
      "text: end",
    ],
    requests: 2,
  },
  {
    what: "gate throws for one",
    points: {
      gate: ({ args }) => (onB(args) ? Promise.reject("odd") : Promise.resolve({ action: "allow" })),
    },
    outcome: finished,
    story: [
      'call: Echo {"say":"a"}',
      'call: Echo {"say":"b"}',
      "error: refused, because what decides about Echo failed: odd",
      "result: said a",
      "text: end",
    ],
    requests: 2,
  },
  {
    what: "gate pauses at the second",
    points: {
      gate: async ({ args }) => (onB(args) ? { action: "pause", reason: "wait" } : { action: "allow" }),
    },
    outcome: { kind: "paused", reason: "hook", detail: "wait" },
    story: ['call: Echo {"say":"a"}', 'call: Echo {"say":"b"}'],
    requests: 1,
  },
  {
    what: "gate aborts at the second",
    points: {
      gate: async ({ args }) => (onB(args) ? { action: "abort", reason: "stop" } : { action: "allow" }),
    },
    outcome: { kind: "aborted", reason: "stop" },
    story: notRun,
    requests: 1,
    aborted: ["stop"],
  },
  {
    what: "observer of results aborts",
    points: { afterResult: async () => ({ action: "abort", reason: "seen" }) },
    outcome: { kind: "aborted", reason: "seen" },
    story: answered.slice(0, 4),
    requests: 1,
    aborted: ["seen"],
  },
  {
    what: "turn end pauses",
    points: { turnEnd: async () => ({ action: "pause", reason: "review" }) },
    outcome: { kind: "paused", reason: "hook", detail: "review" },
    story: answered,
    requests: 2,
  },
  {
    what: "turn end throws",
    points: { turnEnd: () => Promise.reject(new Error("x")) },
    outcome: finished,
    story: answered,
    requests: 2,
  },
];

for (const { what, points, outcome, story, requests, aborted = [] } of matrix) {
  test(`matrix: ${what}`, async () => {
    const heard: string[] = [];
    const b = bench({ scenario: twoCalls, points: { aborted: (reason) => heard.push(reason), ...points } });
    assert.deepEqual(await b.run("go"), outcome);
    assert.deepEqual(b.history.story().slice(1), story);
    assert.equal(b.scripted.requests.length, requests);
    assert.equal(b.history.kinds("llm_request").length, requests);
    assert.deepEqual(heard, aborted);
    b.history.assertReplays();
  });
}

test("the order of the points, and what each is shown", async () => {
  const log: unknown[] = [];
  const say = (name: string, ...rest: unknown[]) => log.push([name, ...rest]);
  const items = [note("first")];
  const b = bench({
    scenario: twoCalls,
    points: {
      drain: async () => {
        say("drain");
        return items.splice(0).map((item) => ({ kind: "system_item", item }));
      },
      threshold: (size, phase) => {
        say(phase, size.items);
        return null;
      },
      preRequest: async (view) => {
        say("preRequest", view.items, view.turn, view.toolCallsThisRun);
        return { action: "continue", queued: view.turn === 1 ? [note("late")] : [] };
      },
      queuedCommitted: (queued) => say("queuedCommitted", queued.length),
      gate: async (view) => {
        say("gate", view);
        return { action: "allow" };
      },
      afterResult: async (view, result) => {
        say("afterResult", view.call, result.summary);
        return { action: "continue" };
      },
      turnEnd: async (view) => {
        say("turnEnd", view);
        return { action: "finish" };
      },
    },
  });
  await b.run("go");
  const view = (index: number, say: string) => ({
    call: `6.${index}`,
    name: "Echo",
    args: { say },
    readOnly: false,
  });
  assert.deepEqual(log, [
    ["drain"],
    ["committed", 2],
    ["preRequest", 2, 0, 0],
    ["effective", 2],
    ["gate", view(0, "a")],
    ["gate", view(1, "b")],
    ["afterResult", "6.0", "said a"],
    ["afterResult", "6.1", "said b"],
    ["drain"],
    ["committed", 6],
    ["preRequest", 6, 1, 2],
    ["effective", 7],
    ["queuedCommitted", 1],
    ["turnEnd", { turn: 2, toolCallsThisRun: 2, finalTextPreview: "end" }],
  ]);
});

test("a denied batch still goes on, and the denial is told", async () => {
  const b = bench({
    scenario: twoCalls,
    tools: [tool("Echo", async () => assert.fail("it ran"))],
    points: { gate: async () => ({ action: "deny", reason: "rule 3", refusal: "asked" }) },
  });
  assert.deepEqual(await b.run("go"), finished);
  assert.deepEqual(b.history.batches[3], ["tool_result", "tool_result"]);
  assert.deepEqual(
    b.history.items.flatMap(({ item }) => (item.type === "tool_result" ? [item.refusal] : [])),
    ["asked", "asked"],
    "what kind of refusal it was is on record",
  );
  assert.deepEqual(
    b.events.filter((event) => event.type === "denied").map((event) => [event.name, event.reason]),
    [
      ["Echo", "rule 3"],
      ["Echo", "rule 3"],
    ],
  );
});

test("the preview of the final text is at most 512 bytes and ends at a character", async () => {
  let preview = "";
  const text = "é".repeat(300);
  const b = bench({
    scenario: JSON.stringify({ steps: [{ text }] }),
    points: {
      turnEnd: async (view) => {
        preview = view.finalTextPreview;
        return { action: "finish" };
      },
    },
  });
  await b.run("go");
  assert.equal(preview, "é".repeat(256));
});

test("sizes: the provider's count and the bytes since at its rate; a quarter of all bytes, prompt and tools included, when nothing was counted", async () => {
  const sizes: ContextSize[] = [];
  const b = bench({
    scenario: `{ steps: [{ tool_calls: [{ name: Echo, arguments: {} }], usage: { input: 1000, output: 50 } }, { text: end }] }`,
    points: {
      threshold: (size, phase) => {
        if (phase === "committed") sizes.push(size);
        return null;
      },
    },
  });
  await b.run("go");
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
  const [first, , result] = b.history.items;
  const head = Buffer.byteLength("Be brief.") + bytes(b.tools.definitions);
  const newHead = head - (b.history.measured?.head_bytes ?? 0);
  assert.deepEqual(sizes, [
    { items: 1, tokens: Math.ceil((head + bytes(first?.item)) / 4) },
    // It counted more tokens than text can have. The log of the bench says nothing of its tools: they are new to it.
    { items: 3, tokens: 1050 + Math.ceil((newHead + bytes(result?.item)) / bytesPerTokenMin) },
  ]);
});

test("an answer that broke before it was counted measures nothing", async () => {
  const sizes: ContextSize[] = [];
  const b = bench({
    scenario: `steps: [{ attempts: [{ text: half, cut_after: 2, usage: {} }, { text: end }] }]`,
    points: {
      threshold: (size, phase) => {
        if (phase === "committed") sizes.push(size);
        return null;
      },
    },
  });
  await b.run("go");
  assert.equal(b.history.kinds("llm_usage").length, 2);
  const items = b.history.items.slice(0, 3).map(({ item }) => Buffer.byteLength(JSON.stringify(item)));
  const head = Buffer.byteLength("Be brief.") + Buffer.byteLength(JSON.stringify(b.tools.definitions));
  const bytes = items.reduce((sum, one) => sum + one, head);
  assert.deepEqual(sizes[1], { items: 3, tokens: Math.ceil(bytes / 4) });
});
