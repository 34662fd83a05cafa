/** The loop on its plain path: what is committed, in how many batches, what observers hear, how a run ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "@yoi/base";
import { requestDigest } from "@yoi/model";
import { bench, echo, tool } from "./support/bench-worker.ts";

const oneCall = `
steps:
  - text: I will.
    tool_calls: [{ name: Echo, arguments: { say: a } }]
    usage: { input: 100, output: 10 }
  - text: Done.
    usage: { input: 120, output: 5 }
`;

test("a step with one tool call and no system item is four durable batches", async () => {
  const b = bench({ scenario: oneCall });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "Done." });
  assert.deepEqual(b.history.batches, [
    ["invoke", "user_input"],
    ["llm_request"],
    ["assistant_item", "assistant_item", "llm_usage", "turn_end"],
    ["tool_started"],
    ["tool_result"],
    ["llm_request"],
    ["assistant_item", "llm_usage", "turn_end"],
  ]);
  assert.deepEqual(b.history.story(), [
    "user: go",
    "text: I will.",
    'call: Echo {"say":"a"}',
    "result: said a",
    "text: Done.",
  ]);
  b.history.assertReplays();
});

test("with system items it is five", async () => {
  const item = { type: "system_item", kind: "notification", source: "host", body: "news" } as const;
  const items = [{ kind: "system_item", item } as const];
  const b = bench({ scenario: oneCall, points: { drain: async () => items.splice(0) } });
  await b.run("go");
  assert.deepEqual(
    b.history.batches.slice(1, 6).map((batch) => batch[0]),
    ["system_item", "llm_request", "assistant_item", "tool_started", "tool_result"],
  );
});

test("the record of a request says what was asked, and its digest is that of a whole rebuild", async () => {
  const b = bench({ scenario: oneCall });
  await b.run("go");
  const records = b.history.kinds("llm_request") as Extract<Entry, { kind: "llm_request" }>[];
  assert.equal(records.length, 2);
  assert.ok(records.every(({ estimate }) => (estimate?.tokens ?? 0) > 10));
  for (const [index, record] of records.entries()) {
    const request = b.scripted.requests[index];
    assert.ok(request);
    assert.deepEqual(
      { ...record, seq: 0, batch: 0, ts: 0 },
      {
        kind: "llm_request",
        seq: 0,
        batch: 0,
        ts: 0,
        through: request.items.at(-1)?.seq,
        items: request.items.length,
        projection: { prune_before: null },
        tools: b.tools.digest,
        config: { model: "scripted/s.yaml", max_output_tokens: 1000 },
        adapter: { name: "scripted", version: "1" },
        lowering: 1,
        digest: requestDigest(request),
        wire: await b.scripted.lower(request),
        estimate: record.estimate,
      },
    );
  }
});

test("observers are told, in order", async () => {
  const b = bench({ scenario: oneCall });
  await b.run("go");
  assert.deepEqual(
    b.events.map((event) => event.type),
    [
      "turn_start",
      "request_recorded",
      "block_start",
      "block_delta",
      "block_start",
      "block_delta",
      "answer",
      "text",
      "tool_start",
      "tool_end",
      "turn_start",
      "request_recorded",
      "block_start",
      "block_delta",
      "answer",
      "text",
    ],
  );
  assert.deepEqual(
    b.events.find((event) => event.type === "tool_start"),
    { type: "tool_start", call: "5.1", name: "Echo", title: "Echo a" },
  );
});

test("an observer that throws changes nothing", async () => {
  const observer = () => {
    throw new Error("no");
  };
  assert.deepEqual(await bench({ scenario: oneCall, observer }).run("go"), {
    kind: "finished",
    text: "Done.",
  });
});

test("D-2: blocks keep the order in which the model made them", async () => {
  const b = bench({
    scenario: `
steps:
  - blocks:
      - reasoning: { text: first, metadata: { signature: s1 } }
      - text: one
      - tool_call: { name: Echo, arguments: { say: a } }
      - reasoning: { text: second, metadata: { signature: s2 } }
      - text: two
      - tool_call: { name: Echo, arguments: { say: b } }
  - text: end
`,
  });
  await b.run("go");
  assert.deepEqual(b.history.story().slice(1, 7), [
    "reasoning: first",
    "text: one",
    'call: Echo {"say":"a"}',
    "reasoning: second",
    "text: two",
    'call: Echo {"say":"b"}',
  ]);
  const reasoning = b.history.items[1]?.item;
  assert.ok(reasoning?.type === "reasoning");
  assert.deepEqual(reasoning.provider_data, {
    provider: "scripted",
    model: "s.yaml",
    metadata: { signature: "s1" },
  });
});

test("D-5: the limit of turns counts per run, and a final answer is never cut", async () => {
  const call = "{ tool_calls: [{ name: Echo, arguments: { say: a } }] }";
  const scenario = `steps: [${call}, ${call}, ${call}, { text: end }, ${call}, { text: end }]`;
  const b = bench({ scenario });
  assert.deepEqual(await b.run("go", { maxTurns: 2 }), { kind: "limit_reached", limit: "turns", max: 2 });
  b.history.assertBuilds();
  assert.deepEqual(await b.run("on", { maxTurns: 2 }), { kind: "finished", text: "end" });
  assert.deepEqual(await b.run("on", { maxTurns: 2 }), { kind: "finished", text: "end" });
  assert.equal(b.history.turnCount, 6);
  const turns = b.events.filter((event) => event.type === "turn_start").map((event) => event.turn);
  assert.deepEqual(turns, [0, 1, 0, 1, 0, 1]);
});

test("D-7: an answer with nothing in it is a failure, with its cost on record", async () => {
  const b = bench({ scenario: `steps: [{ text: "", usage: { input: 3, output: 0 } }]` });
  const outcome = await b.run("go");
  assert.ok(outcome.kind === "failed");
  assert.match(outcome.failure.message, /answered with nothing \(finish reason stop\)/);
  assert.deepEqual(b.history.batches.slice(1), [["llm_request"], ["llm_usage"]]);
  assert.deepEqual(b.history.story(), ["user: go"]);
});

test("blank texts are dropped before they are committed; one with data of the provider's is kept", async () => {
  const b = bench({
    scenario: `
steps:
  - blocks: [{ text: "" }, { text: "\\n\\n" }, { reasoning: " " }, { tool_call: { name: Echo, arguments: { say: a } } }, { reasoning: { metadata: { data: x } } }]
  - text: end
`,
  });
  await b.run("go");
  assert.deepEqual(b.history.story(), [
    "user: go",
    'call: Echo {"say":"a"}',
    "reasoning: ",
    "result: said a",
    "text: end",
  ]);
  assert.deepEqual(
    b.scripted.requests[1]?.items.map(({ item }) => item.type),
    ["user_message", "tool_call", "reasoning", "tool_result"],
  );
});

test("D-13: an answer cut at the output limit is kept as incomplete and said so; its last call is not executed", async () => {
  const ran: unknown[] = [];
  const b = bench({
    tools: [
      tool("Echo", async (args) => {
        ran.push(args);
        return { summary: "ran" };
      }),
    ],
    scenario: `
steps:
  - tool_calls: [{ name: Echo, arguments: { say: a } }, { name: Echo, arguments: "{}" }]
    finish: length
  - expect: { results: [{ error: false }, { error: true, contains: the answer was cut }] }
    text: cut here
    finish: length
`,
  });
  assert.deepEqual(await b.run("go"), { kind: "finished", text: "cut here" });
  assert.deepEqual(ran, [{ say: "a" }]);
  assert.deepEqual(b.history.story().slice(-1), ["cut text: cut here"]);
  assert.equal(b.events.filter((event) => event.type === "warning").length, 2);
  assert.deepEqual(b.history.batches[2], [
    "assistant_item",
    "assistant_item",
    "tool_result",
    "llm_usage",
    "turn_end",
  ]);
  b.history.assertBuilds();
});

test("one worker runs one run at a time", async () => {
  const b = bench({ scenario: `steps: [{ text: ok, delay_ms: 10 }]` });
  const first = b.start("go");
  await b.host.advance(1);
  await assert.rejects(
    b.worker.run({ mode: "resume", signal: new AbortController().signal, maxTurns: null }),
    /running already/,
  );
  await b.host.advance(10);
  assert.deepEqual(await first, { kind: "finished", text: "ok" });
});

test("a model that answers before its request is on record is not believed", async () => {
  const b = bench({
    model: (scripted) => ({
      ...scripted,
      provider: "liar",
      id: "liar",
      limits: scripted.limits,
      adapter: scripted.adapter,
      lowering: 1,
      lower: scripted.lower.bind(scripted),
      async *stream() {
        yield { type: "block_start", index: 0, block: "text" };
      },
    }),
    tools: [echo()],
  });
  await assert.rejects(b.run("go"), /a request that is not on record/);
  assert.deepEqual(b.history.story(), ["user: go"]);
});

test("a retry with the same bytes adds no record; with other bytes nothing is sent and the run throws", async () => {
  for (const [change, records] of [
    [false, 1],
    [true, 1],
  ] as const) {
    let sent = 0;
    const b = bench({
      model: (scripted) => ({
        ...scripted,
        provider: "retrier",
        id: "r",
        limits: scripted.limits,
        adapter: scripted.adapter,
        lowering: 1,
        lower: scripted.lower.bind(scripted),
        async *stream(request, options) {
          const wire = await scripted.lower(request);
          await options.beforeSend(wire);
          sent += 1;
          await options.beforeSend(change ? { ...wire, sha256: "0".repeat(64) } : wire);
          sent += 1;
          yield { type: "block_start", index: 0, block: "text" };
          yield { type: "block_end", index: 0, text: "ok" };
          const usage = {
            input_tokens: 1,
            output_tokens: 1,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            reasoning_tokens: 0,
          };
          yield { type: "finish", reason: "stop", usage };
        },
      }),
    });
    if (change) await assert.rejects(b.run("go"), /other bytes than are on record/);
    else assert.deepEqual(await b.run("go"), { kind: "finished", text: "ok" });
    assert.equal(b.history.kinds("llm_request").length, records);
    assert.equal(sent, change ? 1 : 2);
  }
});
