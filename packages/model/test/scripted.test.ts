/** The scripted model plays what its scenario says, chunk by chunk, through the same ports as a provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, type CommittedItem, noUsage, type WireRecord } from "@yoi/base";
import { type MemoryHost, memoryHost } from "@yoi/host";
import { sha256 } from "../src/digest.ts";
import type { ModelEvent, ModelRequest } from "../src/model.ts";
import { openScripted, type ScriptedModel } from "../src/scripted/index.ts";

const asked: CommittedItem = {
  seq: 3,
  item: { type: "user_message", parts: [{ type: "text", text: "Count to 3" }] },
};

function requestOf(items: readonly CommittedItem[]): ModelRequest {
  return {
    head: { system: "Be brief.", tools: [], config: { model: "scripted/s.yaml", max_output_tokens: 100 } },
    items,
    projection: { prune_before: null },
  };
}

function open(text: string, host: MemoryHost = memoryHost({ seed: 1 })): ScriptedModel {
  return openScripted({ name: "s.yaml", text, ports: host, keepRequests: true });
}

interface Heard {
  readonly events: ModelEvent[];
  readonly wires: WireRecord[];
}

async function listen(
  model: ScriptedModel,
  request: ModelRequest,
  options: { signal?: AbortSignal; onEvent?: (event: ModelEvent) => void } = {},
): Promise<Heard> {
  const heard: Heard = { events: [], wires: [] };
  const events = model.stream(request, {
    signal: options.signal ?? new AbortController().signal,
    beforeSend: async (wire) => {
      heard.wires.push(wire);
    },
  });
  for await (const event of events) {
    heard.events.push(event);
    options.onEvent?.(event);
  }
  return heard;
}

test("blocks come in order, in chunks, with what the scenario says of them", async () => {
  const model = open(`
chunk: 4
steps:
  - reasoning: { text: think, metadata: { signature: abc } }
    text: "Hé 😀😀!"
    tool_calls:
      - { name: Bash, arguments: { b: 1, a: [true, null] } }
      - { name: Bash, arguments: "{\\"cut", id: toolu_7 }
    usage: { input: 5, output: 6, cache_read: 1, cache_write: 2, reasoning: 3 }
`);
  const { events } = await listen(model, requestOf([asked]));
  assert.deepEqual(events, [
    { type: "block_start", index: 0, block: "reasoning" },
    { type: "block_delta", index: 0, text: "thin" },
    { type: "block_delta", index: 0, text: "k" },
    { type: "block_end", index: 0, text: "think", metadata: { signature: "abc" } },
    { type: "block_start", index: 1, block: "text" },
    { type: "block_delta", index: 1, text: "Hé " },
    { type: "block_delta", index: 1, text: "😀😀" },
    { type: "block_delta", index: 1, text: "!" },
    { type: "block_end", index: 1, text: "Hé 😀😀!" },
    { type: "block_start", index: 2, block: "tool_call", name: "Bash", providerCallId: "call_2" },
    { type: "block_delta", index: 2, text: '{"a"' },
    { type: "block_delta", index: 2, text: ":[tr" },
    { type: "block_delta", index: 2, text: "ue,n" },
    { type: "block_delta", index: 2, text: "ull]" },
    { type: "block_delta", index: 2, text: ',"b"' },
    { type: "block_delta", index: 2, text: ":1}" },
    { type: "block_end", index: 2, text: '{"a":[true,null],"b":1}' },
    { type: "block_start", index: 3, block: "tool_call", name: "Bash", providerCallId: "toolu_7" },
    { type: "block_delta", index: 3, text: '{"cu' },
    { type: "block_delta", index: 3, text: "t" },
    { type: "block_end", index: 3, text: '{"cut' },
    {
      type: "finish",
      reason: "tool_calls",
      usage: {
        input_tokens: 5,
        output_tokens: 6,
        cache_read_tokens: 1,
        cache_write_tokens: 2,
        reasoning_tokens: 3,
      },
    },
  ]);
});

test("blocks may interleave and stand in any order", async () => {
  const model = open(`
steps:
  - interleave: true
    chunk: 2
    usage: {}
    blocks:
      - text: abc
      - tool_call: { name: Read }
      - text: d
`);
  const { events } = await listen(model, requestOf([asked]));
  assert.deepEqual(
    events.map((event) => ("index" in event ? `${event.type} ${event.index}` : event.type)),
    [
      "block_start 0",
      "block_start 1",
      "block_start 2",
      "block_delta 0",
      "block_delta 1",
      "block_delta 2",
      "block_delta 0",
      "block_end 1",
      "block_end 2",
      "block_end 0",
      "finish",
    ],
  );
});

test("a cut stream says exactly that many characters and ends in the failure", async () => {
  const text = "one two three";
  for (let cut = 0; cut <= text.length; cut += 1) {
    const model = open(`{ chunk: 5, steps: [{ text: "${text}", cut_after: ${cut}, usage: {} }] }`);
    const { events } = await listen(model, requestOf([asked]));
    const said = events.map((event) => (event.type === "block_delta" ? event.text : "")).join("");
    assert.equal(said, text.slice(0, cut));
    assert.deepEqual(events.at(-1), {
      type: "failure",
      failure: {
        kind: "stream_broken",
        message: "The scripted stream ended without a terminal event.",
        retryable: true,
      },
      usage: noUsage,
    });
    assert.equal(
      events.some((event) => event.type === "block_end"),
      cut === text.length,
    );
  }
});

test("a cut never halves a character", async () => {
  const model = open(`{ chunk: 1, steps: [{ text: "a😀b", cut_after: 2 }] }`);
  const { events } = await listen(model, requestOf([asked]));
  assert.equal(events.map((event) => (event.type === "block_delta" ? event.text : "")).join(""), "a");
});

test("failures say kind, status and Retry-After", async () => {
  const model = open(`
steps:
  - failure: { kind: rate_limit, message: Slow down., status: 429, retry_after_ms: 60000 }
`);
  const { events, wires } = await listen(model, requestOf([asked]));
  assert.deepEqual(events, [
    {
      type: "failure",
      failure: {
        kind: "rate_limit",
        message: "Slow down.",
        retryable: true,
        status: 429,
        retryAfterMs: 60_000,
      },
      usage: null,
    },
  ]);
  assert.equal(wires.length, 1);
});

test("retries send the same bytes again after their wait", async () => {
  const host = memoryHost({ seed: 1 });
  const model = open(
    `
steps:
  - retries:
      - { wait_ms: 200, failure: { kind: overloaded, status: 529 } }
      - { failure: { kind: server }, usage: { input: 7 } }
    delay_ms: 50
    text: ok
`,
    host,
  );
  const heard = listen(model, requestOf([asked]));
  await host.advance(250);
  const { events, wires } = await heard;
  assert.deepEqual(events[0], {
    type: "retry",
    attempt: 1,
    attemptsMax: 3,
    waitMs: 200,
    failure: {
      kind: "overloaded",
      message: "The scripted provider failed with overloaded.",
      retryable: true,
      status: 529,
    },
    usage: null,
  });
  assert.deepEqual(events[1]?.type === "retry" && events[1].usage, { ...noUsage, input_tokens: 7 });
  assert.equal(events.at(-1)?.type, "finish");
  assert.deepEqual(wires, [wires[0], wires[0], wires[0]]);
});

test("delays pass through the timers port and an abort ends them", async () => {
  const host = memoryHost({ seed: 1 });
  const model = open(`{ steps: [{ delay_ms: 1000, text: late }] }`, host);
  const controller = new AbortController();
  const heard = listen(model, requestOf([asked]), { signal: controller.signal });
  await host.advance(999);
  controller.abort();
  const { events, wires } = await heard;
  const cancelled = { kind: "cancelled", message: "The request was cancelled.", retryable: false };
  assert.deepEqual(events, [{ type: "failure", failure: cancelled, usage: noUsage }]);
  assert.equal(wires.length, 1);
});

test("an abort between two sendings leaves nothing under way that could be counted", async () => {
  const host = memoryHost({ seed: 1 });
  const model = open(
    "{ steps: [{ retries: [{ wait_ms: 200, failure: { kind: server } }], text: late }] }",
    host,
  );
  const controller = new AbortController();
  const heard = listen(model, requestOf([asked]), { signal: controller.signal });
  await host.advance(199);
  controller.abort();
  const { events, wires } = await heard;
  const cancelled = { kind: "cancelled", message: "The request was cancelled.", retryable: false };
  assert.deepEqual(events.slice(1), [{ type: "failure", failure: cancelled, usage: null }]);
  assert.equal(wires.length, 1);
});

test("an abort at any event ends in one cancelled failure; before the start nothing is sent", async () => {
  const text = `{ chunk: 3, steps: [{ text: "some words to say" }] }`;
  const whole = (await listen(open(text), requestOf([asked]))).events.length;
  for (let at = 0; at < whole; at += 1) {
    const controller = new AbortController();
    let seen = 0;
    if (at === 0) controller.abort();
    const { events, wires } = await listen(open(text), requestOf([asked]), {
      signal: controller.signal,
      onEvent: () => {
        seen += 1;
        if (seen === at) controller.abort();
      },
    });
    const terminal = events.filter((event) => event.type === "failure" || event.type === "finish");
    assert.deepEqual([terminal.length, terminal[0]?.type, events.length], [1, "failure", at + 1]);
    assert.equal(wires.length, at === 0 ? 0 : 1);
  }
});

test("what beforeSend throws is thrown, and nothing is said", async () => {
  const model = open(`{ steps: [{ text: never }] }`);
  const events: ModelEvent[] = [];
  await assert.rejects(async () => {
    for await (const event of model.stream(requestOf([asked]), {
      signal: new AbortController().signal,
      beforeSend: async () => {
        throw new Error("not on record");
      },
    })) {
      events.push(event);
    }
  }, /not on record/);
  assert.deepEqual(events, []);
  assert.deepEqual(model.requests, []);
});

test("the record is the digest of the canonical request, and lower gives the same", async () => {
  const model = open(`{ steps: [{ text: ok }] }`);
  const request = requestOf([asked]);
  const { wires, events } = await listen(model, request);
  const body = canonicalJson(request);
  const record = {
    sha256: sha256(body),
    bytes: Buffer.byteLength(body),
    method: "SCRIPTED",
    path: "s.yaml",
    headers: {},
  };
  assert.deepEqual(wires, [record]);
  assert.deepEqual(await model.lower(request), record);
  assert.deepEqual(events.at(-1), {
    type: "finish",
    reason: "stop",
    usage: { ...noUsage, input_tokens: Math.ceil(record.bytes / 4), output_tokens: 1 },
  });
});

test("requests are kept frozen, whatever the asker does with its own", async () => {
  const model = open(`{ steps: [{ text: ok }] }`);
  const items = [asked];
  await listen(model, requestOf(items));
  items.push({ ...asked, seq: 9 });
  assert.deepEqual(model.requests, [requestOf([asked])]);
  assert.ok(Object.isFrozen(model.requests[0]) && Object.isFrozen(model.requests[0]?.items));
});

test("a model that was not asked to keep requests keeps none, and says so to whoever wants them", async () => {
  const text = `{ steps: [{ text: ok }] }`;
  const model = openScripted({ name: "s.yaml", text, ports: memoryHost({ seed: 1 }) });
  assert.equal((await listen(model, requestOf([asked]))).events.at(-1)?.type, "finish");
  assert.throws(() => model.requests, /without keepRequests/);
});

test("a scenario that is over, and one whose expectation fails, say which step and why", async () => {
  const result = (name: string, summary: string, isError: boolean): CommittedItem => ({
    seq: 7,
    item: {
      type: "tool_result",
      call: "4.0" as never,
      name,
      summary,
      content: "the detail",
      is_error: isError,
    },
  });
  const call: CommittedItem = {
    seq: 5,
    item: { type: "tool_call", call: "4.0" as never, name: "Bash", arguments: "{}" },
  };
  const cases: [expect: string, items: CommittedItem[], message: string | null][] = [
    ["items: 1", [asked], null],
    ["items: 2", [asked], "expected 2 items and got 1"],
    ["last_input: [Count, to]", [asked], null],
    ["last_input: four", [asked], 'expected "four" in the last input, which is "Count to 3"'],
    ["system: brief", [asked], null],
    ["system: verbose", [asked], 'expected "verbose" in the system prompt'],
    ["tools: [Bash]", [asked], "expected the tool Bash to be offered"],
  ];
  for (const [expect, items, message] of cases) {
    const { events } = await listen(
      open(`{ steps: [{ expect: { ${expect} }, text: ok }] }`),
      requestOf(items),
    );
    assert.deepEqual(
      messageOf(events),
      message === null ? null : `Step 1 of the scenario s.yaml (line 1): ${message}.`,
    );
  }
  const results: [expect: string, items: CommittedItem[], message: string | null][] = [
    [
      "[{ name: Bash, error: false, contains: [fine, detail] }]",
      [asked, call, result("Bash", "fine", false)],
      null,
    ],
    [
      "[{ error: true }]",
      [asked, call, result("Bash", "no", false)],
      'expected result 1 (Bash) to be an error; it says "no\\nthe detail"',
    ],
    [
      "[{ name: Read }]",
      [asked, call, result("Bash", "no", false)],
      "expected result 1 (Bash) to be of Read",
    ],
    [
      "[{ contains: x }]",
      [asked, call, result("Bash", "no", false)],
      'expected "x" in result 1 (Bash), which is "no\\nthe detail"',
    ],
    ["[]", [asked, call, result("Bash", "no", false)], "expected 0 results of the last calls and got 1"],
  ];
  for (const [expect, items, message] of results) {
    const text = `steps:\n  - text: first\n  - name: check\n    expect: { results: ${expect} }\n    text: ok\n`;
    const { events } = await listen(open(text), requestOf(items));
    assert.deepEqual(
      messageOf(events),
      message === null ? null : `Step 2 (check) of the scenario s.yaml (line 3): ${message}.`,
    );
  }
  const { events } = await listen(open("steps: []"), requestOf([asked]));
  assert.equal(messageOf(events), "The scenario s.yaml has 0 steps and was asked for step 1: add one.");
});

function messageOf(events: readonly ModelEvent[]): string | null {
  const last = events.at(-1);
  if (last?.type !== "failure") return null;
  assert.deepEqual([last.failure.kind, last.failure.retryable, events.length], ["invalid_request", false, 1]);
  return last.failure.message;
}

test("the same scenario and request give the same events, in any process", async () => {
  const text = `{ chunk: 3, steps: [{ reasoning: hm, text: same words, tool_calls: [{ name: Bash }] }] }`;
  assert.deepEqual(
    await listen(open(text), requestOf([asked])),
    await listen(open(text), requestOf([asked])),
  );
});
