/** Gemini's ends, counts and errors beyond what every provider has. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FinishReason } from "@yoi/base";
import type { FailureKind } from "@yoi/model";
import { usageTokensMax } from "../../src/usage-limit.ts";
import { googleError, googleEvent, googleFrame } from "../../../../test/support/google-server.ts";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { committed, failureOf, read, requestOf, user } from "../support.ts";
import { bench, key } from "./bench.ts";

const go = requestOf([user(1, "go")]);
const counts = { promptTokenCount: 3, candidatesTokenCount: 2 };
const says = (text: string, more: object = {}): object => googleEvent([{ text }], counts, more);
const raw = (...events: readonly object[]): { raw: string } => ({ raw: events.map(googleFrame).join("") });

test("why an answer ended", () => {
  const rows: readonly [string, FinishReason][] = [
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["LANGUAGE", "other"],
    ["OTHER", "other"],
    ["OF_A_LATER_VERSION", "other"],
  ];
  const answers = rows.map(([finishReason]) => raw(says("hi"), says(" there", { finishReason })));
  return bench(answers, async ({ model }) => {
    for (const [name, reason] of rows) {
      const answer = await read(model, go);
      assert.deepEqual(committed(answer), [{ block: "text", text: "hi there" }]);
      assert.equal(answer.terminal.type === "finish" && answer.terminal.reason, reason, name);
    }
  });
});

test("ends that are no answer say why", () => {
  const block = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: counts };
  const malformed = {
    finishReason: "MALFORMED_FUNCTION_CALL",
    finishMessage: "Malformed function call: print(",
  };
  const rows: readonly [{ raw: string }, FailureKind, boolean, RegExp][] = [
    [raw(block), "invalid_request", false, /did not let the prompt through \(PROHIBITED_CONTENT\)/],
    [
      raw(googleEvent([], counts, { finishReason: "SAFETY" })),
      "invalid_request",
      false,
      /refused to answer \(SAFETY\)/,
    ],
    [
      raw(googleEvent([], counts, { finishReason: "MAX_TOKENS" })),
      "invalid_request",
      false,
      /the output limit before any content/,
    ],
    [
      raw(googleEvent([], counts, malformed)),
      "stream_broken",
      true,
      /\(MALFORMED_FUNCTION_CALL: "Malformed function call: print\("\)/,
    ],
    [
      raw(says("I will read it."), googleEvent([], counts, malformed)),
      "stream_broken",
      true,
      /could not be read/,
    ],
    [
      raw(googleEvent([], counts, { finishReason: "UNEXPECTED_TOOL_CALL" })),
      "stream_broken",
      true,
      /\(UNEXPECTED_TOOL_CALL\)/,
    ],
    [
      raw(googleEvent([], counts, { finishReason: "MISSING_THOUGHT_SIGNATURE" })),
      "invalid_request",
      false,
      /\(MISSING_THOUGHT_SIGNATURE\)/,
    ],
    [raw(googleEvent([], counts, { finishReason: "OTHER" })), "stream_broken", true, /it was empty/],
    [raw(says("hi"), says("", { finishReason: "" })), "stream_broken", true, /without its terminal event/],
    [raw(), "stream_broken", true, /without its terminal event/],
    [
      raw(says("hi"), googleEvent([{ functionCall: { args: { a: 1 } } }], counts)),
      "stream_broken",
      true,
      /a call in it names no tool/,
    ],
  ];
  return bench(
    rows.map(([answer]) => answer),
    async ({ model }) => {
      for (const [, kind, retryable, words] of rows) {
        const failure = failureOf(await read(model, go));
        assert.deepEqual(
          { kind: failure.kind, retryable: failure.retryable },
          { kind, retryable },
          failure.message,
        );
        assert.match(failure.message, words);
        assert.match(failure.message, /^Google at 127\.0\.0\.1:\d+ [^\n]+; [^\n]+\.$/);
      }
    },
  );
});

test("a stream that is cut cleanly leaves its last block open; what ended before it is whole", () =>
  bench(
    [
      raw(googleEvent([{ text: "Hm.", thought: true }], counts), says("All g")),
      raw(says("All"), says(" good")),
    ],
    async ({ model }) => {
      const open = { block: "text", text: null };
      assert.deepEqual((await read(model, go)).blocks, [
        { block: "reasoning", streamed: "Hm.", text: "Hm." },
        { ...open, streamed: "All g" },
      ]);
      assert.deepEqual((await read(model, go)).blocks, [{ ...open, streamed: "All good" }]);
    },
  ));

test("a finish reason on every event ends nothing before the stream does", () => {
  const stop = { finishReason: "STOP" };
  const whole = [
    googleEvent([], counts, stop),
    says("All ", stop),
    says("good", stop),
    googleEvent([], counts, stop),
  ];
  const cut = Buffer.from(whole.slice(0, 2).map(googleFrame).join(""));
  return bench(
    [raw(...whole), { raw: Buffer.concat([cut, Buffer.from("data: {")]), hold: true }],
    async ({ model }) => {
      assert.deepEqual(committed(await read(model, go)), [{ block: "text", text: "All good" }]);
      const controller = new AbortController();
      const onEvent = ({ type }: { type: string }) => type === "block_delta" && controller.abort();
      const { blocks, terminal } = await read(model, go, { signal: controller.signal, onEvent });
      assert.deepEqual(blocks, [{ block: "text", streamed: "All ", text: null }]);
      assert.equal(terminal.type, "failure");
    },
  );
});

test("an answer over the limit of one request ends there: nothing is sent that is on no record", () =>
  bench(
    [
      raw(says("part one", { finishReason: "CONTINUATION", continuationToken: "dG9rZW4=" })),
      raw(says("two")),
    ],
    async ({ model, requests }) => {
      const answer = await read(model, go);
      assert.deepEqual(committed(answer), [{ block: "text", text: "part one" }]);
      assert.equal(answer.terminal.type === "finish" && answer.terminal.reason, "length");
      assert.deepEqual([requests.length, answer.wires.length], [1, 1]);
    },
  ));

test("counts: thoughts are output, what tools of the provider read is input, the last word counts", () => {
  const first = { promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 1 };
  const last = { candidatesTokenCount: 7, thoughtsTokenCount: 20, toolUsePromptTokenCount: 5 };
  const over = Object.fromEntries(
    Object.keys({ ...first, ...last }).map((name) => [name, usageTokensMax + 1]),
  );
  const stop = { finishReason: "STOP" };
  const answers = [
    raw(googleEvent([{ text: "a" }], first), googleEvent([{ text: "b" }], last, stop)),
    raw(googleEvent([{ text: "a" }], over, stop)),
    raw({ candidates: [{ content: { parts: [{ text: "a" }] }, finishReason: "STOP" }] }),
  ];
  return bench(answers, async ({ model }) => {
    const used: unknown[] = [];
    for (const _ of answers) used.push((await read(model, go)).terminal.usage);
    const max = usageTokensMax;
    assert.deepEqual(used, [
      {
        input_tokens: 105,
        output_tokens: 27,
        cache_read_tokens: 40,
        cache_write_tokens: 0,
        reasoning_tokens: 20,
      },
      {
        input_tokens: 2 * max,
        output_tokens: 2 * max,
        cache_read_tokens: max,
        cache_write_tokens: 0,
        reasoning_tokens: max,
      },
      { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
    ]);
  });
});

const retryInfo = (retryDelay: string) => ({
  "@type": "type.googleapis.com/google.rpc.RetryInfo",
  retryDelay,
});

test("refusals as Google words them: in an array, with the time to come back, with a key that it does not know", () => {
  const exhausted = googleError(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", {
    details: [{ "@type": "type.googleapis.com/google.rpc.QuotaFailure" }, retryInfo("42.5s")],
  });
  type Row = readonly [
    Answer,
    { kind: FailureKind; status: number; retryable: boolean; retryAfterMs?: number },
    RegExp,
  ];
  const rows: readonly Row[] = [
    [
      exhausted,
      { kind: "rate_limit", status: 429, retryable: true, retryAfterMs: 42_500 },
      /exceeded your current quota/,
    ],
    [
      { ...exhausted, headers: { "retry-after": "7" } },
      { kind: "rate_limit", status: 429, retryable: true, retryAfterMs: 7000 },
      /exceeded/,
    ],
    [
      { status: 503, body: [{ error: { code: 503, message: "Overloaded.", status: "UNAVAILABLE" } }] },
      { kind: "overloaded", status: 503, retryable: true },
      /"Overloaded"/,
    ],
    [
      googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
      { kind: "auth", status: 400, retryable: false },
      /check GEMINI_API_KEY/,
    ],
    [
      googleError(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      ),
      { kind: "context_overflow", status: 400, retryable: false },
      /larger window/,
    ],
    [
      googleError(400, "FAILED_PRECONDITION", `User location is not supported for ${key}.`),
      { kind: "invalid_request", status: 400, retryable: false },
      /not supported for \[key\]/,
    ],
    [
      { status: 502, body: "<html>bad gateway" },
      { kind: "server", status: 502, retryable: true },
      /status 502/,
    ],
    [{ status: 500, body: '[{"error":' }, { kind: "server", status: 500, retryable: true }, /status 500/],
  ];
  return bench(
    rows.map(([answer]) => answer),
    async ({ model }) => {
      for (const [, expected, words] of rows) {
        const { message, ...failure } = failureOf(await read(model, go));
        assert.deepEqual(failure, expected, message);
        assert.match(message, words);
        assert.ok(!message.includes(key), message);
      }
    },
  );
});

test("errors in a stream that had begun, also those that are not quite what the protocol says", () => {
  const rows: readonly [object, { kind: FailureKind; status?: number; retryAfterMs?: number }][] = [
    [{ error: { code: 503, message: "away", status: "UNAVAILABLE" } }, { kind: "overloaded", status: 503 }],
    [{ error: { code: null, message: "away", status: "UNAVAILABLE" } }, { kind: "overloaded", status: 503 }],
    [{ error: { code: 500, message: "oops" } }, { kind: "server", status: 500 }],
    [
      [{ error: { code: 504, message: "slow", status: "DEADLINE_EXCEEDED" } }],
      { kind: "timeout", status: 504 },
    ],
    [
      { error: { code: 429, message: "later", status: "RESOURCE_EXHAUSTED", details: [retryInfo("3s")] } },
      { kind: "rate_limit", status: 429, retryAfterMs: 3000 },
    ],
  ];
  return bench(
    rows.map(([event]) => raw(says("hi"), event, says(" there", { finishReason: "STOP" }))),
    async ({ model }) => {
      for (const [, expected] of rows) {
        const answer = await read(model, go);
        assert.deepEqual(answer.blocks, [{ block: "text", streamed: "hi", text: null }]);
        const { message, ...failure } = failureOf(answer);
        assert.deepEqual(failure, { ...expected, retryable: true }, message);
      }
    },
  );
});
