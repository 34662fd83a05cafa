/** How calls are told apart and put together, however a server numbers and names them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunk, done } from "../../../../test/support/openai-compatible-server.ts";
import type { Frame } from "../../../../test/support/provider-answer.ts";
import { committed, failureOf, itemsOf, read, requestOf, result, user } from "../support.ts";
import { bench, blocksOfBody, callsMade, go, part, raw, readCall, stop, text, toolCalls } from "./bench.ts";

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
