/** What servers that speak chat completions do in ways of their own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSION } from "@ai-sdk/openai-compatible";
import { apiError, chunk, done, frame } from "../../../../test/support/openai-compatible-server.ts";
import type { Answer, Frame } from "../../../../test/support/provider-answer.ts";
import { openAiCompatibleAdapter } from "../../src/openai-compatible/adapter.ts";
import {
  call,
  committed,
  failureOf,
  itemsOf,
  note,
  read,
  requestOf,
  result,
  said,
  thought,
  user,
} from "../support.ts";
import { bench, blocksOfBody, key } from "./bench.ts";

const go = requestOf([user(1, "go")]);
const raw = (frames: readonly Frame[]): Answer => ({ raw: frames.map(({ text }) => text).join("") });
const text = (content: string): Frame => chunk({ content });
const toolCalls = (...calls: readonly object[]): Frame => chunk({ tool_calls: calls });
const part = (index: number | null, args: unknown, more: { id?: string; name?: string } = {}): object => ({
  ...(index !== null && { index }),
  ...(more.id !== undefined && { id: more.id }),
  function: { ...(more.name !== undefined && { name: more.name }), arguments: args },
});
const stop = chunk({}, "stop");
const callsMade = chunk({}, "tool_calls");
const readCall = (args: string) => ({ block: "tool_call", name: "read", text: args });

test("the version that requests are recorded with is the one installed", () => {
  assert.equal(openAiCompatibleAdapter.version, VERSION);
});

test("calls are told apart and put together however a server numbers and names them", async () => {
  const a = '{"path":"a"}';
  const b = '{"path":"b"}';
  const rows: readonly [string, readonly Frame[], readonly unknown[]][] = [
    [
      "in turns, by number",
      [
        toolCalls(part(0, "", { id: "x", name: "read" }), part(1, "", { id: "y", name: "read" })),
        toolCalls(part(1, '{"path"'), part(0, '{"path"')),
        toolCalls(part(0, ':"a"}')),
        toolCalls(part(1, ':"b"}')),
      ],
      [readCall(a), readCall(b)],
    ],
    [
      "without ids",
      [
        toolCalls(part(0, '{"path":', { name: "read" })),
        toolCalls(part(0, '"a"}')),
        toolCalls(part(1, b, { name: "read" })),
      ],
      [readCall(a), readCall(b)],
    ],
    [
      "with the id and the name on every piece",
      [
        toolCalls(part(0, '{"path":', { id: "x", name: "read" })),
        toolCalls(part(0, '"a"}', { id: "x", name: "read" })),
      ],
      [readCall(a)],
    ],
    [
      "with the name after the first piece",
      [toolCalls(part(0, '{"path":', { id: "x" })), toolCalls(part(0, '"a"}', { name: "read" }))],
      [readCall(a)],
    ],
    [
      "whole, without numbers",
      [
        toolCalls(part(null, a, { id: "x", name: "read" })),
        toolCalls(part(null, b, { id: "y", name: "read" })),
      ],
      [readCall(a), readCall(b)],
    ],
    [
      "whole, all with one number",
      [toolCalls(part(0, a, { id: "x", name: "read" })), toolCalls(part(0, b, { id: "y", name: "read" }))],
      [readCall(a), readCall(b)],
    ],
    [
      "numbered from 1, and with nothing for arguments",
      [toolCalls(part(1, null, { id: "x", name: "read" }))],
      [readCall("{}")],
    ],
    [
      "with an object for arguments, and one in it",
      [toolCalls(part(0, { arguments: { path: "a" }, n: 1.5 }, { id: "x", name: "read" }))],
      [readCall('{"arguments":{"path":"a"},"n":1.5}')],
    ],
    [
      "with the end in the same event",
      [chunk({ tool_calls: [part(0, a, { id: "x", name: "read" })] }, "tool_calls")],
      [readCall(a)],
    ],
    [
      "after and before text",
      [text("One. "), toolCalls(part(0, a, { id: "x", name: "read" })), text("Two.")],
      [{ block: "text", text: "One. Two." }, readCall(a)],
    ],
  ];
  const answers = rows.map(([, frames]) => raw([...frames, callsMade, done]));
  await bench(answers, async ({ model }) => {
    for (const [name, , blocks] of rows) {
      const answer = await read(model, go);
      assert.deepEqual(committed(answer), blocks, name);
      for (const block of answer.blocks) assert.equal(block.streamed, block.text === "{}" ? "" : block.text);
      assert.equal(answer.terminal.type === "finish" && answer.terminal.reason, "tool_calls", name);
    }
  });
});

test("a call without a name, and arguments nested deeper than can be walked, are a broken stream", () => {
  const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const nameless = [toolCalls(part(0, "{}", { id: "x" })), callsMade, done];
  const nested = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"read","arguments":${deep}}}]}}]}\n\n`;
  return bench([raw(nameless), { raw: nested }], async ({ model }) => {
    assert.equal(failureOf(await read(model, go)).kind, "stream_broken");
    assert.equal(failureOf(await read(model, go)).kind, "stream_broken");
  });
});

test("the end of an answer, as servers word it", async () => {
  const aCall = toolCalls(part(0, "{}", { id: "x", name: "read" }));
  const rows: readonly [string, readonly Frame[], string][] = [
    ["stop", [text("x"), stop, done], "stop"],
    ["no [DONE]", [text("x"), stop], "stop"],
    ["[DONE] without a space", [text("x"), stop, { text: "data:[DONE]\n\n" }], "stop"],
    [
      "lines ended by CR LF",
      [text("x"), stop, done].map((f) => ({ text: f.text.replaceAll("\n", "\r\n") })),
      "stop",
    ],
    ["the last text with the reason", [chunk({ content: "x" }, "stop"), done], "stop"],
    ["an unknown event behind it", [text("x"), stop, frame({ timings: { n: 1 } }), done], "stop"],
    ["an unknown reason", [text("x"), chunk({}, "eos"), done], "other"],
    ["stop after a call", [aCall, stop, done], "tool_calls"],
    ["the old word for a call", [aCall, chunk({}, "function_call"), done], "tool_calls"],
    ["a filter", [text("x"), chunk({}, "content_filter"), done], "content_filter"],
    ["a refusal", [chunk({ refusal: "No." }), stop, done], "content_filter"],
    ["the limit", [text("x"), chunk({}, "length"), done], "length"],
    ["only an end", [text("x"), done], "stream_broken"],
    ["an empty reason", [text("x"), chunk({}, ""), done], "stream_broken"],
    ["an end in an error without a name", [text("x"), chunk({}, "error"), done], "stream_broken"],
    ["an unknown event instead of a reason", [text("x"), frame({ object: "bye" }), done], "stream_broken"],
  ];
  await bench(
    rows.map(([, frames]) => raw(frames)),
    async ({ model }) => {
      for (const [name, , end] of rows) {
        const { terminal, blocks } = await read(model, go);
        assert.equal(terminal.type === "finish" ? terminal.reason : terminal.failure.kind, end, name);
        assert.equal(blocks[0]?.text === null, terminal.type === "failure", name);
      }
    },
  );
});

test("an answer is over at [DONE], though the server keeps the connection open: nothing waits for it", () =>
  bench(
    [
      { raw: [text("one"), stop, done, { text: ": more\n\n" }].map((f) => f.text).join(""), hold: true },
      raw([text("two"), stop, done]),
    ],
    async ({ model, requests, connections }) => {
      assert.deepEqual(committed(await read(model, go)), [{ block: "text", text: "one" }]);
      assert.deepEqual(committed(await read(model, go)), [{ block: "text", text: "two" }]);
      assert.equal(connections(), 2);
      assert.equal(await requests[0]?.closedEarly, true);
    },
  ));

test("reasoning of any field is one block until something else comes, and goes back where it came from only", () => {
  const metadata = { "openai-compatible": { reasoning_content: true } };
  const think = [{ type: "thinking", thinking: [{ type: "text", text: "b." }] }];
  const first = [
    chunk({ reasoning_content: "I " }),
    chunk({ reasoning_content: null, reasoning: "think " }),
    chunk({ content: think }),
    text("Hm."),
    chunk({ reasoning: "Again." }),
    toolCalls(part(0, "{}", { id: "x", name: "read" })),
    callsMade,
    done,
  ];
  const last = [text("Done."), stop, done];
  return bench([raw(first), raw(last)], async ({ model, requests }) => {
    const answer = await read(model, go);
    assert.deepEqual(committed(answer), [
      { block: "reasoning", text: "I think b.", metadata },
      { block: "text", text: "Hm." },
      { block: "reasoning", text: "Again.", metadata },
      readCall("{}"),
    ]);
    const items = [
      user(1, "go"),
      ...itemsOf(answer, 2, 3, "openai-compatible"),
      result(9, 2, 3, "gone", { is_error: true }),
      thought(10, "of another provider", { anthropic: { signature: "s" } }),
      thought(11, "of another server", metadata, { provider: "my-vllm" }),
      thought(12, "cut off", metadata, { provider: "openai-compatible", status: "incomplete" }),
      said(13, "So."),
      note(14, "hurry"),
    ];
    await read(model, requestOf(items));
    assert.deepEqual(blocksOfBody(requests[1]?.body), [
      { role: "user", type: "text", text: "go" },
      { role: "assistant", type: "reasoning", text: "I think b.Again." },
      { role: "assistant", type: "text", text: "Hm." },
      { role: "assistant", id: "call_2_3", type: "function", function: { name: "read", arguments: "{}" } },
      { role: "tool", tool_call_id: "call_2_3", type: "text", text: "Error: gone" },
      { role: "assistant", type: "text", text: "So." },
      {
        role: "user",
        type: "text",
        text: '<yoi-note id="14" kind="notification" source="host">\nhurry\n</yoi-note>',
      },
    ]);
  });
});

test("the signature of a call, as Google's models give it through this protocol, goes back with the call", () => {
  const signed = {
    ...part(0, "{}", { id: "x", name: "read" }),
    extra_content: { google: { thought_signature: "c2ln" } },
  };
  return bench(
    [raw([toolCalls(signed), callsMade, done]), raw([text("x"), stop, done])],
    async ({ model, requests }) => {
      const answer = await read(model, go);
      assert.deepEqual(committed(answer), [
        { ...readCall("{}"), metadata: { "openai-compatible": { thoughtSignature: "c2ln" } } },
      ]);
      await read(
        model,
        requestOf([user(1, "go"), ...itemsOf(answer, 2, 3, "openai-compatible"), result(4, 2, 0, "ok")]),
      );
      assert.deepEqual(blocksOfBody(requests[1]?.body)[1]?.["extra_content"], {
        google: { thought_signature: "c2ln" },
      });
    },
  );
});

test("usage as servers count it, or none", async () => {
  const none = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
  const rows: readonly [unknown, object][] = [
    [undefined, none],
    [null, none],
    [
      { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
      { ...none, input_tokens: 9, output_tokens: 2 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
      { input_tokens: 9, output_tokens: 5, cache_read_tokens: 4, cache_write_tokens: 3, reasoning_tokens: 2 },
    ],
    [
      { prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 1 },
      { ...none, input_tokens: 9, output_tokens: 5, cache_read_tokens: 8 },
    ],
    [
      { prompt_tokens: -1, completion_tokens: 1e20 },
      { ...none, output_tokens: 1_000_000_000 },
    ],
  ];
  const answers = rows.map(([usage]) => raw([text("x"), stop, frame({ choices: [], usage }), done]));
  await bench(answers, async ({ model }) => {
    for (const [reported, usage] of rows)
      assert.deepEqual((await read(model, go)).terminal.usage, usage, JSON.stringify(reported));
  });
});

test("errors in the stream, in the words of each server", async () => {
  const rows: readonly [string, object, string, boolean][] = [
    ["llama.cpp", { error: { code: 500, message: "boom", type: "server_error" } }, "server", true],
    [
      "vLLM",
      { error: { message: "bad", type: "BadRequestError", param: null, code: 400 } },
      "invalid_request",
      false,
    ],
    [
      "vLLM before",
      { object: "error", message: "bad", type: "BadRequestError", param: null, code: 400 },
      "invalid_request",
      false,
    ],
    ["Ollama", { error: "model runner has unexpectedly stopped" }, "server", true],
    [
      "OpenRouter",
      {
        id: "gen-1",
        choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
        error: { code: 429, message: "slow down" },
      },
      "rate_limit",
      true,
    ],
    ["a code in quotes", { error: { code: "502", message: "no provider" } }, "server", true],
    ["without a message", { error: { code: 503 } }, "overloaded", true],
    [
      "context",
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error",
        },
      },
      "context_overflow",
      false,
    ],
  ];
  const answers = rows.map(([, event]) => raw([text("x"), frame(event), done]));
  await bench(answers, async ({ model }) => {
    for (const [server, , kind, retryable] of rows) {
      const answer = await read(model, go);
      const failure = failureOf(answer);
      assert.deepEqual([failure.kind, failure.retryable], [kind, retryable], `${server}: ${failure.message}`);
      assert.deepEqual(answer.blocks, [{ block: "text", streamed: "x", text: null }], server);
    }
  });
});

test("refusals, in the words of each server", async () => {
  const rows: readonly [string, number, unknown, string, RegExp][] = [
    [
      "Ollama",
      404,
      { error: { message: 'model "x" not found, try pulling it first', type: "api_error" } },
      "not_found",
      /try pulling it first/,
    ],
    [
      "llama.cpp",
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size, try increasing it",
          type: "exceed_context_size_error",
        },
      },
      "context_overflow",
      /available context size/,
    ],
    [
      "llama.cpp loading",
      503,
      { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
      "overloaded",
      /Loading model/,
    ],
    [
      "vLLM",
      400,
      {
        object: "error",
        message: "This model's maximum context length is 8192 tokens.",
        type: "BadRequestError",
        code: 400,
      },
      "context_overflow",
      /8192 tokens/,
    ],
    ["FastAPI", 422, { detail: [{ msg: "field required" }] }, "invalid_request", /status 422/],
    ["FastAPI path", 404, { detail: "Not Found" }, "not_found", /Not Found/],
    [
      "plain",
      500,
      { error: "an error was encountered while running the model" },
      "server",
      /running the model/,
    ],
    [
      "OpenRouter",
      402,
      { error: { code: 402, message: "Insufficient credits" }, user_id: "u" },
      "auth",
      /Insufficient credits/,
    ],
  ];
  const answers = rows.map(([, status, body]): Answer => ({ status, body: body as object }));
  await bench(answers, async ({ model }) => {
    for (const [server, status, , kind, words] of rows) {
      const failure = failureOf(await read(model, go));
      assert.deepEqual([failure.kind, failure.status], [kind, status], `${server}: ${failure.message}`);
      assert.match(failure.message, words, server);
      assert.ok(!failure.message.includes("/v1"), failure.message);
    }
  });
});

test("not found below a base URL that lacks the version says what most servers have there", () =>
  bench(
    [apiError(404, { message: "no route" })],
    async ({ model, requests }) => {
      const { message } = failureOf(await read(model, go));
      assert.match(message, /; check the model id and --base-url, which ends in \/v1 for most servers\.$/);
      assert.equal(requests[0]?.path, "/api/chat/completions");
    },
    { path: "/api" },
  ));

test("what goes over the wire, frozen; a key as bearer, and without one no such header", async () => {
  const answers = [1, 2].map(() => raw([text("x"), stop, done]));
  const request = requestOf(
    [user(1, "go"), call(3, 2, 0, '{"path":"a"}'), result(4, 2, 0, "ok", { content: "A" })],
    {
      head: {
        ...requestOf([]).head,
        config: { model: "openai-compatible/qwen3-coder", temperature: 0.5, reasoning: "low" },
      },
    },
  );
  for (const apiKey of [key, null]) {
    await bench(
      answers,
      async ({ model, requests }) => {
        const { wires } = await read(model, request);
        assert.deepEqual(requests[0]?.body, {
          model: "qwen3-coder",
          temperature: 0.5,
          reasoning_effort: "low",
          messages: [
            { role: "system", content: "You are a test." },
            { role: "user", content: "go" },
            {
              role: "assistant",
              content: null,
              tool_calls: [
                { id: "call_2_0", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
              ],
            },
            { role: "tool", tool_call_id: "call_2_0", content: "ok\nA" },
          ],
          tools: [
            {
              type: "function",
              function: {
                name: "read",
                description: "Reads a file.",
                parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
              },
            },
          ],
          stream: true,
          stream_options: { include_usage: true },
        });
        assert.deepEqual(wires[0]?.headers, {});
        assert.equal(requests[0]?.headers.authorization, apiKey === null ? undefined : `Bearer ${apiKey}`);
        await read(model, go);
        assert.equal((requests[1]?.body as { max_tokens?: number }).max_tokens, 1000);
      },
      { apiKey },
    );
  }
});
