/** What is Anthropic's own: the frozen request, block numbers, usage in pieces, and why an answer is empty. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sseFrame } from "../../../../test/support/anthropic-answer.ts";
import type { Answer } from "../../../../test/support/anthropic-server.ts";
import { usageTokensMax } from "../../src/usage-limit.ts";
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
  user,
} from "../support.ts";
import { adapter, bench, key } from "./bench.ts";

test("an error event before anything else has the status that it stands for", () =>
  bench(
    [
      {
        blocks: [],
        fault: { type: "error", after: 0, error: { type: "overloaded_error", message: "Overloaded" } },
      },
    ],
    async ({ model }) => {
      const { message, ...failure } = failureOf(await read(model, requestOf([user(1, "go")])));
      assert.deepEqual(failure, { kind: "overloaded", status: 529, retryable: true }, message);
    },
  ));

test("redacted reasoning makes the round trip", () =>
  bench(
    [
      {
        blocks: [
          { type: "redacted_reasoning", data: "b3BhcXVl" },
          { type: "text", text: "Hi." },
        ],
      },
      { blocks: [{ type: "text", text: "x" }] },
    ],
    async ({ model, requests }) => {
      const answer = await read(model, requestOf([user(1, "go")]));
      assert.deepEqual(committed(answer), [
        { block: "reasoning", text: "", metadata: { anthropic: { redactedData: "b3BhcXVl" } } },
        { block: "text", text: "Hi." },
      ]);
      await read(model, requestOf([user(1, "go"), ...itemsOf(answer, 2, 3, "anthropic"), user(9, "on")]));
      assert.deepEqual(adapter.blocks(requests[1]?.body)[1], {
        role: "assistant",
        type: "redacted_thinking",
        data: "b3BhcXVl",
      });
    },
  ));

test("what goes over the wire, frozen", () =>
  bench([{ blocks: [{ type: "text", text: "x" }] }], async ({ model, requests }) => {
    const { wires } = await read(
      model,
      requestOf([user(1, "go"), said(3, "yes"), note(4, "n", "interrupt")]),
    );
    assert.deepEqual(requests[0]?.body, {
      model: "claude-opus-5-5",
      max_tokens: 1000,
      system: [{ type: "text", text: "You are a test.", cache_control: { type: "ephemeral" } }],
      messages: [
        { role: "user", content: [{ type: "text", text: "go", cache_control: { type: "ephemeral" } }] },
        { role: "assistant", content: [{ type: "text", text: "yes" }] },
        {
          role: "user",
          content: [
            {
              type: "text",
              text: '<yoi-note id="4" kind="interrupt" source="host">\nn\n</yoi-note>',
              cache_control: { type: "ephemeral" },
            },
          ],
        },
      ],
      tools: [
        {
          name: "read",
          description: "Reads a file.",
          input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
          eager_input_streaming: true,
        },
      ],
      stream: true,
    });
    assert.deepEqual(wires[0]?.headers, {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": "structured-outputs-2025-11-13",
    });
    assert.equal(requests[0]?.headers["x-api-key"], key);
  }));

test("an image stands in the result of its call", () =>
  bench([{ blocks: [{ type: "text", text: "x" }] }], async ({ model, requests }) => {
    const items = [call(3, 2, 0, "{}"), result(4, 2, 0, "a.png", { images: [picture("QQ==")] })];
    const { head } = requestOf([]);
    const config = { ...head.config, images: true };
    await read(model, requestOf([user(1, "go"), ...items], { head: { ...head, config } }));
    assert.deepEqual(adapter.blocks(requests[0]?.body).at(-1), {
      role: "user",
      type: "tool_result",
      tool_use_id: "call_2_0",
      content: [
        { type: "text", text: "a.png" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: imageData("QQ==") } },
      ],
    });
  }));

test("a model with mid_system gets role system", () =>
  bench(
    [{ blocks: [{ type: "text", text: "x" }] }],
    async ({ model, requests }) => {
      const request = requestOf([user(1, "go"), note(4, "n")]);
      const config = { ...request.head.config, mid_system: true };
      await read(model, { ...request, head: { ...request.head, config } });
      assert.deepEqual(adapter.blocks(requests[0]?.body)[1], { role: "system", type: "text", text: "n" });
    },
    true,
  ));

test("an empty answer says why it is empty", () =>
  bench(
    ["refusal", "max_tokens", "model_context_window_exceeded"].map((stop) => ({ blocks: [], stop })),
    async ({ model }) => {
      const kinds = [];
      for (let round = 0; round < 3; round += 1) {
        const { kind, retryable } = failureOf(await read(model, requestOf([user(1, "go")])));
        kinds.push([kind, retryable]);
      }
      assert.deepEqual(kinds, [
        ["invalid_request", false],
        ["invalid_request", false],
        ["context_overflow", false],
      ]);
    },
  ));

type Events = readonly { readonly type: string; readonly [field: string]: unknown }[];

const start = (index: number, block: object = { type: "text", text: "" }) => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const stop = (index: number) => ({ type: "content_block_stop", index });

/** An answer of the given block events, between the events that begin and end a message. */
function answerOf(blocks: Events, usage: object = { output_tokens: 2 }): string {
  const events: Events = [
    { type: "message_start", message: { id: "m", usage: { input_tokens: 3, output_tokens: 1 } } },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
    { type: "message_stop" },
  ];
  return events.map(sseFrame).join("");
}

test("block numbers that skip and fall are fine; one that is used twice, and one never closed, are a broken stream", () => {
  const rows: readonly [Events, readonly string[] | null][] = [
    [
      [start(5), delta(5, "a"), stop(5), start(2), delta(2, "b"), stop(2)],
      ["a", "b"],
    ],
    [
      [start(0), delta(0, "a"), stop(0), start(0), delta(0, "b"), stop(0)],
      ["a", "b"],
    ],
    [[start(0), delta(0, "a"), delta(4, "stray"), stop(4), stop(0)], ["a"]],
    [[start(0), delta(0, "a"), start(0), delta(0, "b"), stop(0)], null],
    [[start(0), delta(0, "a")], null],
  ];
  const answers = rows.map(([events]) => ({ raw: answerOf(events) }));
  return bench(answers, async ({ model }) => {
    for (const [events, texts] of rows) {
      const answer = await read(model, requestOf([user(1, "go")]));
      if (texts === null) assert.equal(failureOf(answer).kind, "stream_broken", JSON.stringify(events));
      else
        assert.deepEqual(
          answer.blocks.map(({ text }) => text),
          texts,
          JSON.stringify(events),
        );
    }
  });
});

test("usage that a later event leaves null keeps what an earlier one said", () => {
  const usage = {
    input_tokens: null,
    output_tokens: 9,
    cache_read_input_tokens: null,
    output_tokens_details: { thinking_tokens: 4 },
  };
  return bench([{ raw: answerOf([start(0), delta(0, "a"), stop(0)], usage) }], async ({ model }) => {
    const { terminal } = await read(model, requestOf([user(1, "go")]));
    assert.deepEqual(terminal.usage, {
      input_tokens: 3,
      output_tokens: 9,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 4,
    });
  });
});

test("a count at its limit is kept, one beyond it, however large, is the limit", () => {
  const rows: readonly [unknown, number][] = [
    [usageTokensMax, usageTokensMax],
    [usageTokensMax + 1, usageTokensMax],
    [1e20, usageTokensMax],
    [0, 0],
  ];
  const answers = rows.map(([count]) => ({
    raw: answerOf([start(0), delta(0, "a"), stop(0)], {
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
    }),
  }));
  return bench(answers, async ({ model }) => {
    for (const [, kept] of rows) {
      const { terminal } = await read(model, requestOf([user(1, "go")]));
      assert.deepEqual(terminal.usage, {
        input_tokens: 2 * kept,
        output_tokens: kept,
        cache_read_tokens: kept,
        cache_write_tokens: 0,
        reasoning_tokens: 0,
      });
    }
  });
});

test("arguments that come whole with the start of a call are kept", () => {
  const block = { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a" } };
  return bench([{ raw: answerOf([start(0, block), stop(0)]) }], async ({ model }) => {
    const answer = await read(model, requestOf([user(1, "go")]));
    assert.deepEqual(committed(answer), [{ block: "tool_call", name: "read", text: '{"path":"a"}' }]);
    assert.equal(answer.blocks[0]?.streamed, '{"path":"a"}');
  });
});

test("arguments nested 20,000 deep are kept as text, and every later request goes out without them", () => {
  const deep = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const answers: Answer[] = [
    { blocks: [{ type: "tool_call", name: "read", arguments: deep }], pieceLength: 10_000 },
    { blocks: [{ type: "text", text: "x" }] },
  ];
  return bench(answers, async ({ model, requests }) => {
    const answer = await read(model, requestOf([user(1, "go")]));
    assert.deepEqual(committed(answer), [{ block: "tool_call", name: "read", text: deep }]);
    const items = [user(1, "go"), ...itemsOf(answer, 2, 3, "anthropic"), result(5, 2, 0, "too deep")];
    assert.equal((await read(model, requestOf(items))).terminal.type, "finish");
    assert.deepEqual(adapter.blocks(requests[1]?.body)[1], {
      role: "assistant",
      type: "tool_use",
      id: "call_2_0",
      name: "read",
      input: {},
    });
  });
});

test("a server that keeps a finished answer's connection open holds up neither the answer nor the next request", () =>
  bench(
    [
      { raw: answerOf([start(0), delta(0, "one"), stop(0)]), hold: true },
      { blocks: [{ type: "text", text: "two" }] },
    ],
    async ({ model, requests, connections }) => {
      assert.equal((await read(model, requestOf([user(1, "go")]))).terminal.type, "finish");
      assert.equal((await read(model, requestOf([user(1, "go")]))).terminal.type, "finish");
      assert.equal(connections(), 2);
      assert.equal(await requests[0]?.closedEarly, true);
    },
  ));
