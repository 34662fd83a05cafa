/** What goes to a server, and what comes back to it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { VERSION } from "@ai-sdk/openai-compatible";
import type { Timers } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { idleLimits, openModel } from "@yoi/model";
import {
  chunk,
  done,
  startOpenAiCompatibleServer,
} from "../../../../test/support/openai-compatible-server.ts";
import { openAiCompatibleAdapter } from "../../src/openai-compatible/adapter.ts";
import {
  call,
  committed,
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
import {
  bench,
  blocksOfBody,
  callsMade,
  go,
  key,
  part,
  raw,
  readCall,
  stop,
  text,
  toolCalls,
} from "./bench.ts";

test("the version that requests are recorded with is the one installed", () => {
  assert.equal(openAiCompatibleAdapter.version, VERSION);
});

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
        assert.equal((requests[1]?.body as { max_tokens?: number } | undefined)?.max_tokens, 1000);
      },
      { apiKey },
    );
  }
});

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

test("images of results stand behind all results of the step, as data of a user message", () =>
  bench([raw([text("x"), stop, done])], async ({ model, requests }) => {
    const { head } = requestOf([]);
    const items = [
      user(1, "go"),
      call(3, 2, 0, "{}"),
      call(4, 2, 1, "{}"),
      result(5, 2, 0, "one", { images: [picture("aW1hZ2Ux")] }),
      result(6, 2, 1, "two"),
    ];
    await read(model, requestOf(items, { head: { ...head, config: { ...head.config, images: true } } }));
    const body = requests[0]?.body as { readonly messages: readonly unknown[] } | undefined;
    assert.deepEqual(body?.messages.slice(-3), [
      { role: "tool", tool_call_id: "call_2_0", content: "one" },
      { role: "tool", tool_call_id: "call_2_1", content: "two" },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: '<yoi-note id="5" kind="tool_images" source="host">\nThe image of the result of call_2_0 (read):\n</yoi-note>',
          },
          { type: "image_url", image_url: { url: `data:image/png;base64,${imageData("aW1hZ2Ux")}` } },
        ],
      },
    ]);
  }));

test("opened by its name: no limit on the answer unless it is said, and time to load a model before the first word", async () => {
  const server = await startOpenAiCompatibleServer({ answers: [raw([text("x"), stop, done])] });
  const delays: number[] = [];
  const host = nodeHost();
  const timers: Timers = {
    ...host.timers,
    after: (delayMs, fire) => {
      delays.push(delayMs);
      return host.timers.after(delayMs, fire);
    },
  };
  const options = { provider: "openai-compatible", id: "m", baseUrl: server.url, ports: { ...host, timers } };
  const said = await openModel({ ...options, facts: { outputMax: 7000 } });
  assert.equal(said.model.limits.outputTokensMax, 7000);
  const { model } = await openModel(options);
  assert.equal(model.limits.outputTokensMax, null);
  try {
    await read(model, go);
    const uploadMs = Math.floor(
      ((server.requests[0]?.raw.length ?? 0) * 1000) / idleLimits.uploadBytesPerSecMin,
    );
    const { totalMs, idleMs } = idleLimits;
    assert.deepEqual(new Set(delays), new Set([totalMs, 300_000 + uploadMs, 300_000, idleMs]));
  } finally {
    await model.close?.();
    await server.close();
  }
});
