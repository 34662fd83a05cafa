/** Streams that break: what is kept, what is dropped, how often it goes on, and when it fails or pauses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Entry, noCost } from "@yoi/base";
import { bench } from "./support/bench-worker.ts";

const broken = (text: string, cut: number) => ({ text, cut_after: cut });
const scenario = (...steps: unknown[]) => JSON.stringify({ steps });

test("D-15: a broken answer is kept as it came, with a durable note, and goes on", async () => {
  const b = bench({
    scenario: scenario({
      attempts: [
        broken("The answer is forty", 14),
        { expect: { last_input: "cut off" }, text: "forty-two." },
      ],
    }),
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "The answer is forty-two." });
  assert.deepEqual(b.history.story(), [
    "user: go",
    "cut text: The answer is ",
    "note: interrupt",
    "text: forty-two.",
  ]);
  assert.deepEqual(b.history.batches.slice(1), [
    ["llm_request"],
    ["assistant_item", "system_item", "llm_usage"],
    ["llm_request"],
    ["assistant_item", "llm_usage", "turn_end"],
  ]);
  assert.deepEqual(
    b.events.filter((event) => event.type === "continuation" || event.type === "turn_start"),
    [
      { type: "turn_start", turn: 0 },
      {
        type: "continuation",
        attempt: 1,
        attemptsMax: 3,
        reason: "The scripted stream ended without a terminal event.",
      },
    ],
  );
  const usage = b.history.kinds("llm_usage").map((entry) => ("finish" in entry ? entry.finish : null));
  assert.deepEqual(usage, ["interrupted", "stop"]);
});

test("calls of a broken answer are dropped, whole ones too, and the note names them", async () => {
  const call = { name: "Echo", arguments: { say: "a" } };
  const b = bench({
    scenario: scenario({
      attempts: [
        { reasoning: "hm", text: "I will", tool_calls: [call, call], cut_after: 25 },
        { expect: { last_input: ["cut off", "not executed: Echo, Echo"], items: 4 }, text: "end" },
      ],
    }),
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "I willend" });
  assert.deepEqual(b.history.story(), [
    "user: go",
    "reasoning: hm",
    "text: I will",
    "note: interrupt",
    "text: end",
  ]);
  assert.deepEqual(b.history.partials, []);
});

test("an answer broken before anything can be kept leaves the note", async () => {
  const call = { name: "Echo", arguments: { say: "a" } };
  const b = bench({
    scenario: scenario({ attempts: [{ tool_calls: [call], cut_after: 5 }, { text: "end" }] }),
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "end" });
  assert.deepEqual(b.history.story(), ["user: go", "note: interrupt", "text: end"]);
});

test("it goes on three times in a row, then pauses; a complete answer starts the count again", async () => {
  const cut = broken("abc", 1);
  const three = { attempts: [cut, cut, cut, { tool_calls: [{ name: "Echo", arguments: { say: "x" } }] }] };
  const fine = bench({ scenario: scenario(three, { attempts: [cut, cut, cut, { text: "end" }] }) });
  assert.deepEqual(await fine.run("go"), { kind: "finished", text: "aaaend" });

  const four = bench({ scenario: scenario({ attempts: [cut, cut, cut, cut, { text: "end" }] }) });
  const outcome = await four.run("go");
  assert.ok(outcome.kind === "paused" && outcome.reason === "network");
  assert.match(outcome.detail, /^The answer broke off 4 times in a row: /);
  assert.equal(four.scripted.requests.length, 4);
  assert.equal(four.history.story().filter((line) => line === "cut text: a").length, 4);
  // Nothing leaks: the next run has its own three.
  assert.deepEqual(await four.run("again"), { kind: "finished", text: "end" });
});

test("a failure that no retry can heal ends the run and keeps what came", async () => {
  const failure = { kind: "server", message: "Gone.", retryable: false };
  const b = bench({ scenario: scenario({ text: "half", failure }) });
  assert.deepEqual(await b.run("go"), { kind: "failed", failure });
  assert.deepEqual(b.history.story(), ["user: go", "text: half", "note: interrupt"]);
});

test("a failure before any output ends the run and leaves only the request, which cost nothing", async () => {
  for (const failure of [
    { kind: "auth", message: "Set the key.", retryable: false, status: 401 },
    { kind: "server", message: "Oops.", retryable: false },
    { kind: "network", message: "No trust.", retryable: false },
  ] as const) {
    const b = bench({ scenario: scenario({ failure }) });
    assert.deepEqual(await b.run("go"), { kind: "failed", failure });
    assert.deepEqual(b.history.batches.slice(1), [["llm_request"], ["llm_usage"]]);
    assert.deepEqual(b.history.state.cost, noCost);
  }
});

test("a provider that finds the request too long makes the run yield; an answer that began and broke off for it is a failure", async () => {
  const failure = { kind: "context_overflow", message: "Too long.", retryable: false } as const;
  const b = bench({ scenario: scenario({ failure }) });
  assert.deepEqual(await b.run("go"), {
    kind: "yielded",
    reason: "Too long.",
    by: { kind: "provider", failure },
  });
  assert.deepEqual(b.history.batches.slice(1), [["llm_request"], ["llm_usage"]]);

  const begun = bench({ scenario: scenario({ text: "half", failure }) });
  assert.deepEqual(await begun.run("go"), { kind: "failed", failure });
});

test("a provider's limit pauses the run until the time it names", async () => {
  const failure = { kind: "rate_limit", message: "Come back later.", retry_after_ms: 3_600_000 };
  const b = bench({ scenario: scenario({ failure }) });
  assert.deepEqual(await b.run("go"), {
    kind: "paused",
    reason: "provider_limit",
    detail: "Come back later.",
    until: Date.UTC(2026, 0, 1) + 3_600_000,
  });
});

test("in mid-answer a short wait is waited, a long one pauses", async () => {
  const limit = (ms: number) => ({
    text: "half ",
    failure: { kind: "rate_limit", message: "Slow.", retry_after_ms: ms },
  });
  const short = bench({ scenario: scenario({ attempts: [limit(300_000), { text: "done" }] }) });
  const done = short.start("go");
  await short.host.advance(299_999);
  assert.equal(short.scripted.requests.length, 1);
  await short.host.advance(1);
  assert.deepEqual(await done, { kind: "finished", text: "half done" });

  const long = bench({ scenario: scenario({ attempts: [limit(300_001), { text: "done" }] }) });
  const outcome = await long.run("go");
  assert.deepEqual([outcome.kind, outcome.kind === "paused" && outcome.reason], ["paused", "provider_limit"]);
});

test("D-6: a stream that ended badly leaves nothing for the next run", async () => {
  const call = { name: "Echo", arguments: { say: "ghost" } };
  const b = bench({
    scenario: scenario({
      attempts: [
        { text: "old", tool_calls: [call], failure: { kind: "server", retryable: false } },
        { text: "new" },
      ],
    }),
  });
  assert.equal((await b.run("go")).kind, "failed");
  assert.deepEqual(await b.run("again"), { kind: "finished", text: "new" });
  assert.deepEqual(b.history.story(), [
    "user: go",
    "text: old",
    "note: interrupt",
    "user: again",
    "text: new",
  ]);
});

test("D-7: a stream without a terminal event is a broken one", async () => {
  let asked = 0;
  const b = bench({
    model: (scripted) => ({
      provider: "p",
      id: "m",
      limits: scripted.limits,
      capabilities: scripted.capabilities,
      price: scripted.price,
      adapter: scripted.adapter,
      lowering: 1,
      lower: scripted.lower.bind(scripted),
      async *stream(request, options) {
        await options.beforeSend(await scripted.lower(request));
        asked += 1;
        yield { type: "block_start", index: 0, block: "text" };
        yield { type: "block_delta", index: 0, text: "x" };
      },
    }),
  });
  const outcome = await b.run("go");
  assert.ok(outcome.kind === "paused" && outcome.reason === "network");
  assert.equal(asked, 4);
});

test("pieces of an open answer are on record after 250 ms or 4 KiB, and superseded by the item", async () => {
  const b = bench({
    scenario: `{ chunk: 10, steps: [{ pace_ms: 100, text: "${"0123456789".repeat(8)}" }] }`,
  });
  await b.run("go");
  const pieces = b.history.kinds("assistant_partial") as Extract<Entry, { kind: "assistant_partial" }>[];
  // Deltas at 100, 200, ... 800 ms; the first of them that waits starts the interval.
  assert.deepEqual(
    pieces.map(({ from, text }) => [from, text.length]),
    [
      [0, 30],
      [30, 30],
    ],
  );
  assert.deepEqual(b.history.partials, []);

  const fast = bench({ scenario: `{ chunk: 1024, steps: [{ text: "${"x".repeat(9 * 1024)}" }] }` });
  await fast.run("go");
  const large = fast.history.kinds("assistant_partial") as Extract<Entry, { kind: "assistant_partial" }>[];
  assert.deepEqual(large.map(({ from }) => from)[0], 0);
  assert.ok(large.length >= 1 && large.length <= 2);
  assert.ok(large.every(({ text }) => text.length >= 4096));
});

test("a short answer writes no pieces", async () => {
  const b = bench({
    scenario: `{ chunk: 1, steps: [{ delay_ms: 5000, pace_ms: 10, text: "${"x".repeat(20)}" }] }`,
  });
  await b.run("go");
  assert.equal(b.history.kinds("assistant_partial").length, 0);
});
