/** What is OpenAI's own: the frozen request, what goes back and what does not, refusals, and the ends that its events can have. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedItem, JsonObject } from "@yoi/base";
import {
  openAiDialect,
  responsesEvents,
  responsesFrame,
  type ResponsesEvent,
} from "../../../../test/support/openai-server.ts";
import type { RawAnswer, StreamAnswer } from "../../../../test/support/provider-answer.ts";
import {
  call,
  committed,
  failureOf,
  itemsOf,
  note,
  imageData,
  picture,
  read,
  requestOf,
  result,
  said,
  thought,
  user,
} from "../support.ts";
import { bench, key } from "./bench.ts";

const ok: StreamAnswer = { blocks: [{ type: "text", text: "x" }] };
const hello = requestOf([user(1, "go")]);

/** An answer's events with some put in, exchanged or taken out. */
function changed(
  answer: StreamAnswer,
  change: (event: ResponsesEvent) => readonly ResponsesEvent[],
): RawAnswer {
  return {
    raw: responsesEvents(answer)
      .flatMap(({ event }) => change(event))
      .map(responsesFrame)
      .join(""),
  };
}

const toolsOf = (body: unknown): readonly JsonObject[] => (body as { tools: readonly JsonObject[] }).tools;
const inputOf = (body: unknown): readonly JsonObject[] => (body as { input: readonly JsonObject[] }).input;

test("what goes over the wire, frozen", () =>
  bench([ok], async ({ model, requests }) => {
    const { wires } = await read(
      model,
      requestOf([
        user(1, "go"),
        said(3, "yes"),
        call(4, 2, 1, '{"path": "a"}'),
        result(5, 2, 1, "gone", { is_error: true }),
        note(6, "n", "interrupt"),
      ]),
    );
    assert.deepEqual(requests[0]?.body, {
      model: "gpt-5.2",
      input: [
        { role: "developer", content: "You are a test." },
        { role: "user", content: [{ type: "input_text", text: "go" }] },
        { role: "assistant", content: "yes" },
        { type: "function_call", call_id: "call_2_1", name: "read", arguments: '{"path":"a"}' },
        { type: "function_call_output", call_id: "call_2_1", output: '{"error":"gone"}' },
        { role: "developer", content: "n" },
      ],
      max_output_tokens: 1000,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "yoi-4733791135b73e39181836aa38e032f5",
      tools: [
        {
          type: "function",
          name: "read",
          description: "Reads a file.",
          parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          strict: false,
        },
      ],
      stream: true,
    });
    assert.deepEqual(wires[0]?.headers, {});
    assert.equal(requests[0]?.path, "/v1/responses");
    assert.equal(requests[0]?.headers["authorization"], `Bearer ${key}`);
  }));

test("an image stands in the output of its call", () =>
  bench([ok], async ({ model, requests }) => {
    const { head } = hello;
    const items = [call(3, 2, 0, "{}"), result(4, 2, 0, "a.png", { images: [picture("QQ==")] })];
    const config = { ...head.config, images: true };
    await read(model, requestOf([user(1, "go"), ...items], { head: { ...head, config } }));
    assert.deepEqual(inputOf(requests[0]?.body).at(-1), {
      type: "function_call_output",
      call_id: "call_2_0",
      output: [
        { type: "input_text", text: "a.png" },
        { type: "input_image", image_url: `data:image/png;base64,${imageData("QQ==")}` },
      ],
    });
  }));

test("an effort makes any model one that reasons, and asks for a summary", () =>
  bench(
    [ok, ok],
    async ({ model, requests }) => {
      const { head } = hello;
      await read(model, { ...hello, head: { ...head, config: { ...head.config, reasoning: "high" } } });
      await read(model, hello);
      const [thinking, plain] = requests.map(({ body }) => body as JsonObject);
      assert.deepEqual(thinking?.["reasoning"], { effort: "high", summary: "auto" });
      assert.deepEqual(thinking?.["include"], ["reasoning.encrypted_content"]);
      assert.equal(plain?.["reasoning"], undefined);
      assert.equal(plain?.["include"], undefined);
    },
    "house-model-1",
  ));

test("a schema of an object without properties gets empty ones, nothing else is touched", () =>
  bench([ok], async ({ model, requests }) => {
    const tools = [
      { name: "bare", description: "d", input_schema: { type: "object" } },
      {
        name: "full",
        description: "d",
        input_schema: { type: "object", properties: { a: {} }, required: [] },
      },
    ];
    await read(model, { ...hello, head: { ...hello.head, tools } });
    assert.deepEqual(
      toolsOf(requests[0]?.body).map(({ parameters, strict }) => ({ parameters, strict })),
      [
        { parameters: { type: "object", properties: {} }, strict: false },
        { parameters: { type: "object", properties: { a: {} }, required: [] }, strict: false },
      ],
    );
  }));

test("one cache key for a session, another for another one", async () => {
  const keys: unknown[] = [];
  await bench(
    Array.from({ length: 5 }, () => ok),
    async ({ model: served, requests }) => {
      for (const items of [[user(1, "go")], [user(1, "go"), said(2, "x"), user(3, "on")], [user(1, "other")]])
        await read(served, requestOf(items));
      await read(served, { ...hello, head: { ...hello.head, system: "Other." } });
      await read(served, { ...hello, head: { ...hello.head, tools: [] } });
      keys.push(...requests.map(({ body }) => (body as JsonObject)["prompt_cache_key"]));
    },
  );
  const [first, grown, otherInput, otherSystem, otherTools] = keys;
  assert.match(String(first), /^yoi-[0-9a-f]{32}$/);
  assert.deepEqual([grown, otherTools], [first, first]);
  assert.equal(new Set([first, otherInput, otherSystem]).size, 3);
});

test("reasoning of several parts goes back once, by the last part's encrypted content, without what it began with", () => {
  const parts: readonly ResponsesEvent[] = [
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "rs_0", type: "reasoning", encrypted_content: "begun", summary: [] },
    },
    { type: "response.reasoning_summary_part.added", item_id: "rs_0", output_index: 0, summary_index: 0 },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_0",
      output_index: 0,
      summary_index: 0,
      delta: "one",
    },
    { type: "response.reasoning_summary_part.done", item_id: "rs_0", output_index: 0, summary_index: 0 },
    { type: "response.reasoning_summary_part.added", item_id: "rs_0", output_index: 0, summary_index: 1 },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_0",
      output_index: 0,
      summary_index: 1,
      delta: "two",
    },
    { type: "response.reasoning_summary_part.done", item_id: "rs_0", output_index: 0, summary_index: 1 },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { id: "rs_0", type: "reasoning", encrypted_content: "whole", summary: [] },
    },
  ];
  const answer = changed({ blocks: [] }, (event) =>
    event.type === "response.completed" ? [...parts, event] : [event],
  );
  return bench([answer, ok], async ({ model, requests }) => {
    const thoughts = await read(model, hello);
    const metadata = { openai: { itemId: "rs_0", reasoningEncryptedContent: "whole" } };
    assert.deepEqual(committed(thoughts), [
      { block: "reasoning", text: "one" },
      { block: "reasoning", text: "two", metadata },
    ]);
    await read(
      model,
      requestOf([user(1, "go"), ...itemsOf(thoughts, 2, 3, "openai"), said(8, "so"), user(9, "on")]),
    );
    assert.deepEqual(inputOf(requests[1]?.body)[2], {
      type: "reasoning",
      id: "rs_0",
      encrypted_content: "whole",
      summary: [{ type: "summary_text", text: "two" }],
    });
    assert.ok(!JSON.stringify(requests[1]?.body).includes("begun"));
  });
});

test("reasoning that is not encrypted, is another provider's or was cut is not sent", () => {
  const own = { openai: { itemId: "rs_1", reasoningEncryptedContent: "e" } };
  const rows: readonly [CommittedItem, boolean][] = [
    [thought(3, "hm", own, { provider: "openai" }), true],
    [thought(3, "hm", { openai: { itemId: "rs_1" } }, { provider: "openai" }), false],
    [thought(3, "hm", null), false],
    [thought(3, "hm", own, { provider: "anthropic" }), false],
    [thought(3, "hm", { anthropic: { signature: "s" } }, { provider: "openai" }), false],
    [thought(3, "hm", own, { provider: "openai", status: "incomplete" }), false],
  ];
  return bench(
    rows.map(() => ok),
    async ({ model, requests }) => {
      for (const [item] of rows)
        await read(model, requestOf([user(1, "go"), item, said(9, "x"), user(10, "on")]));
      const sent = requests.map(({ body }) => inputOf(body).some(({ type }) => type === "reasoning"));
      assert.deepEqual(
        sent,
        rows.map(([, goes]) => goes),
      );
    },
  );
});

test("the phase of a text goes back with it", () => {
  const commentary = changed(ok, (event) =>
    event.type.startsWith("response.output_item.")
      ? [{ ...event, item: { ...(event["item"] as object), phase: "commentary" } }]
      : [event],
  );
  return bench([commentary, ok], async ({ model, requests }) => {
    const answer = await read(model, hello);
    assert.deepEqual(committed(answer), [
      { block: "text", text: "x", metadata: { openai: { phase: "commentary" } } },
    ]);
    await read(model, requestOf([user(1, "go"), ...itemsOf(answer, 2, 3, "openai"), user(9, "on")]));
    assert.deepEqual(inputOf(requests[1]?.body)[2], { role: "assistant", content: "x", phase: "commentary" });
  });
});

test("a refusal is text, and the answer says that it was one", () => {
  const refusal = changed({ blocks: [{ type: "text", text: "I will not." }] }, (event) =>
    event.type === "response.output_text.delta" ? [{ ...event, type: "response.refusal.delta" }] : [event],
  );
  return bench([refusal, { blocks: [], ended: "content_filter" }], async ({ model }) => {
    const answer = await read(model, hello);
    assert.deepEqual(committed(answer), [{ block: "text", text: "I will not." }]);
    assert.equal(answer.terminal.type === "finish" && answer.terminal.reason, "content_filter");
    const nothing = failureOf(await read(model, hello));
    assert.equal(nothing.kind, "invalid_request");
    assert.match(nothing.message, /refused to answer/);
  });
});

test("the ends that an answer can have: incomplete, failed, an error in either shape, an error in the middle", () => {
  const usage = { input_tokens: 4, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } };
  const ended = (type: string, response: object): RawAnswer =>
    changed(ok, (event) =>
      event.type === "response.completed" ? [{ type, response: { id: "r", usage, ...response } }] : [event],
    );
  const early = (event: ResponsesEvent): RawAnswer => ({ raw: responsesFrame(event) });
  const error = (code: string) => ({ code, message: "no more" });
  const rows: readonly [RawAnswer, string, boolean | null][] = [
    [ended("response.completed", {}), "stop", null],
    [ended("response.incomplete", { incomplete_details: { reason: "max_output_tokens" } }), "length", null],
    [
      ended("response.incomplete", { incomplete_details: { reason: "content_filter" } }),
      "content_filter",
      null,
    ],
    [ended("response.incomplete", { incomplete_details: { reason: "moon_phase" } }), "other", null],
    [ended("response.failed", { error: error("server_error") }), "server", true],
    [ended("response.failed", { error: error("rate_limit_exceeded") }), "rate_limit", true],
    [ended("response.failed", { error: null }), "stream_broken", true],
    [early({ type: "response.failed", response: { id: "r", error: error("server_error") } }), "server", true],
    [
      early({ type: "response.failed", response: { id: "r", error: error("insufficient_quota") } }),
      "auth",
      false,
    ],
    [
      early({ type: "error", sequence_number: 0, ...error("context_length_exceeded") }),
      "context_overflow",
      false,
    ],
    [early({ type: "error", error: { type: "x", ...error("rate_limit_exceeded") } }), "rate_limit", true],
    [
      early({ type: "error", error: { type: "invalid_request_error", ...error("bad") } }),
      "invalid_request",
      false,
    ],
  ];
  return bench(
    rows.map(([answer]) => answer),
    async ({ model }) => {
      for (const [answer, expected, retryable] of rows) {
        const { terminal } = await read(model, hello);
        const seen =
          terminal.type === "finish"
            ? [terminal.reason, null]
            : [terminal.failure.kind, terminal.failure.retryable];
        assert.deepEqual(seen, [expected, retryable], String(answer.raw).slice(-300));
        if (String(answer.raw).includes("input_tokens"))
          assert.deepEqual(terminal.usage, {
            input_tokens: 4,
            output_tokens: 2,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            reasoning_tokens: 1,
          });
      }
    },
  );
});

test("items that come in any order and number are told apart by their place in the output", () => {
  const answer: StreamAnswer = {
    interleave: true,
    pieceLength: 2,
    blocks: [
      { type: "tool_call", name: "read", arguments: { n: 1 }, id: "same" },
      { type: "text", text: "between" },
      { type: "tool_call", name: "read", arguments: { n: 2 }, id: "same" },
    ],
  };
  return bench([answer], async ({ model }) => {
    assert.deepEqual(committed(await read(model, hello)), [
      { block: "tool_call", name: "read", text: '{"n":1}' },
      { block: "text", text: "between" },
      { block: "tool_call", name: "read", text: '{"n":2}' },
    ]);
  });
});

test("the wrapper that models put around parallel calls is taken off", () => {
  const uses = ["a", "b"].map((path) => ({ recipient_name: "functions.read", parameters: { path } }));
  const blocks = [{ type: "tool_call", name: "parallel", arguments: { tool_uses: uses } }] as const;
  return bench([{ blocks }, ok], async ({ model, requests }) => {
    const answer = await read(model, hello);
    assert.deepEqual(committed(answer), [
      { block: "tool_call", name: "read", text: '{"path":"a"}' },
      { block: "tool_call", name: "read", text: '{"path":"b"}' },
    ]);
    const items = [
      user(1, "go"),
      ...itemsOf(answer, 2, 3, "openai"),
      result(5, 2, 0, "A"),
      result(6, 2, 1, "B"),
    ];
    await read(model, requestOf(items));
    assert.deepEqual(
      inputOf(requests[1]?.body)
        .slice(2)
        .map(({ type, call_id }) => [type, call_id]),
      [
        ["function_call", "call_2_0"],
        ["function_call", "call_2_1"],
        ["function_call_output", "call_2_0"],
        ["function_call_output", "call_2_1"],
      ],
    );
  });
});

test("every event that shows nothing is a sign of life", () =>
  bench([{ blocks: [{ type: "reasoning", text: "", signature: "e" }] }], async ({ model }) => {
    const seen: string[] = [];
    await read(model, hello, { onEvent: ({ type }) => seen.push(type) });
    // The headers, created, in_progress, item and part begun; part and item ended, of which the last shows what it held.
    assert.ok(seen.filter((type) => type === "ping").length >= 6, seen.join(" "));
    assert.deepEqual(seen.slice(-3), ["block_end", "ping", "finish"]);
  }));

test("the frames of an answer are the ones that a terminal event ends", () => {
  const frames = openAiDialect.frames(ok);
  assert.equal(frames.filter(({ terminal }) => terminal).length, 1);
  assert.equal(frames.at(-1)?.terminal, true);
});
