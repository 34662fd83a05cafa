/** When an answer is over, and what it says of its cost. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunk, done, frame } from "../../../../test/support/openai-compatible-server.ts";
import type { Frame } from "../../../../test/support/provider-answer.ts";
import { committed, read } from "../support.ts";
import { bench, go, part, raw, stop, text, toolCalls } from "./bench.ts";

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
      // xAI counts reasoning beside the answer, and the total says so.
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        total_tokens: 34,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { ...none, input_tokens: 9, output_tokens: 25, cache_read_tokens: 4, reasoning_tokens: 20 },
    ],
    [
      // Others count it in, as OpenAI does.
      {
        prompt_tokens: 9,
        completion_tokens: 25,
        total_tokens: 34,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { ...none, input_tokens: 9, output_tokens: 25, reasoning_tokens: 20 },
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
