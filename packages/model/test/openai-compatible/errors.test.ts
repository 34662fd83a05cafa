/** Errors in the words of each server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { apiError, done, frame } from "../../../../test/support/openai-compatible-server.ts";
import type { Answer } from "../../../../test/support/provider-answer.ts";
import { failureOf, read } from "../support.ts";
import { bench, go, raw, text } from "./bench.ts";

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
