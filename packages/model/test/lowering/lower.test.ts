/** The lowering: what each item becomes, and what is never sent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonDepthMax, type CommittedItem } from "@yoi/base";
import fc from "fast-check";
import {
  argumentsObject,
  assertCallsAnswered,
  wireCallId,
  wireToolName,
  wireToolNameMax,
} from "../../src/lowering/calls.ts";
import { lowerRequest } from "../../src/lowering/lower.ts";
import { call, note, requestOf, result, said, thought, user } from "../support.ts";
import { promptOf, traits } from "./traits.ts";

const mark = { anthropic: { cacheControl: { type: "ephemeral" } } };

test("a step: the answer is one message, its results are one, a note is a text of its own after them", () => {
  const items = [
    user(1, "go"),
    thought(3, "hm", { anthropic: { signature: "s" } }),
    said(4, "reading"),
    call(5, 2, 2, '{"path":"a"}'),
    call(6, 2, 3, '{"path":"b"}'),
    result(9, 2, 2, "ok", { content: "A" }),
    result(10, 2, 3, "missing", { is_error: true }),
    note(11, "time is up"),
  ];
  assert.deepEqual(promptOf(items), [
    { role: "user", content: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        { type: "text", text: "reading" },
        { type: "tool-call", toolCallId: "call_2_2", toolName: "read", input: { path: "a" } },
        { type: "tool-call", toolCallId: "call_2_3", toolName: "read", input: { path: "b" } },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "call_2_2",
          toolName: "read",
          output: { type: "text", value: "ok\nA" },
        },
        {
          type: "tool-result",
          toolCallId: "call_2_3",
          toolName: "read",
          output: { type: "error-text", value: "missing" },
        },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "text",
          text: '<yoi-note id="11" kind="notification" source="host">\ntime is up\n</yoi-note>',
        },
      ],
    },
  ]);
});

test("the request's settings are passed on, and nothing that it does not say", () => {
  const { prompt, ...options } = lowerRequest(requestOf([user(1, "go")]), traits);
  assert.equal(prompt[0]?.role, "system");
  assert.deepEqual(options, {
    maxOutputTokens: 1000,
    tools: [
      {
        type: "function",
        name: "read",
        description: "Reads a file.",
        inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      },
    ],
  });
  const config = { model: "m", max_output_tokens: 5, temperature: 0, reasoning: "high" };
  const bare = lowerRequest(requestOf([], { head: { system: "", tools: [], config } }), traits);
  assert.deepEqual(bare, { prompt: [], maxOutputTokens: 5, temperature: 0, reasoning: "high" });
  const wrong = { ...config, reasoning: "a lot" };
  assert.throws(
    () => lowerRequest(requestOf([], { head: { system: "", tools: [], config: wrong } }), traits),
    {
      code: "config_invalid",
    },
  );
});

test("with mid_system a system item has the system role, except where it would pass for the system prompt", () => {
  assert.deepEqual(promptOf([user(1, "go"), note(2, "now")], { systemItems: "system" }).at(-1), {
    role: "system",
    content: "now",
  });
  const request = requestOf([note(2, "now")]);
  const headless = { ...request, head: { ...request.head, system: "" } };
  assert.equal(lowerRequest(headless, { ...traits, systemItems: "system" }).prompt[0]?.role, "user");
});

test("reasoning goes back complete, signed and to its own provider, or not at all", () => {
  const signed = { anthropic: { signature: "s" } };
  const kept = (item: CommittedItem): number =>
    promptOf([user(1, "go"), item, said(9, "x")])[1]?.content.length ?? 0;
  assert.equal(kept(thought(3, "hm", signed)), 2);
  assert.equal(kept(thought(3, "hm", null)), 1);
  assert.equal(kept(thought(3, "hm", {})), 1);
  assert.equal(kept(thought(3, "hm", signed, { provider: "openai" })), 1);
  assert.equal(kept(thought(3, "hm", signed, { status: "incomplete" })), 1);
});

test("what a model made goes back to that model, as far as the projection lets it", () => {
  const signed = { anthropic: { signature: "s" } };
  const by = (model: string) => ({ provider: "anthropic", model, metadata: signed });
  const items = [
    user(1, "go"),
    thought(3, "old", signed, { model: "claude-test" }),
    said(4, "x", by("claude-test")),
    thought(5, "other", signed, { model: "claude-else" }),
    said(6, "y", by("claude-else")),
    thought(7, "new", signed, { model: "claude-test" }),
    said(8, "z", by("claude-test")),
  ];
  const sent = (reasoning_before?: number) => {
    const projection = { prune_before: null, ...(reasoning_before !== undefined && { reasoning_before }) };
    const answer = lowerRequest(requestOf(items, { projection }), traits).prompt[2];
    return (answer?.role === "assistant" ? answer.content : []).map((part) => [
      part.type === "text" || part.type === "reasoning" ? part.text : part.type,
      part.providerOptions !== undefined,
    ]);
  };
  const late = [
    ["y", false],
    ["new", true],
    ["z", true],
  ];
  assert.deepEqual(sent(), [["old", true], ["x", true], ...late]);
  assert.deepEqual(sent(), sent(3));
  assert.deepEqual(sent(4), [["x", true], ...late]);
  assert.deepEqual(sent(7), [["x", false], ...late]);
  assert.deepEqual(sent(8), [
    ["x", false],
    ["y", false],
    ["z", true],
  ]);
});

test("provider data goes to its own provider only", () => {
  const sent = (provider: string) =>
    promptOf([said(1, "x", { provider, metadata: { anthropic: { a: 1 } } })]);
  assert.deepEqual(sent("anthropic"), [
    { role: "assistant", content: [{ type: "text", text: "x", providerOptions: { anthropic: { a: 1 } } }] },
  ]);
  assert.deepEqual(sent("openai"), [{ role: "assistant", content: [{ type: "text", text: "x" }] }]);
});

test("empty texts never reach the wire", () => {
  assert.deepEqual(promptOf([user(1, " \n"), said(2, ""), said(3, "\t"), thought(4, "", null)]), []);
  const outputs = [result(5, 2, 0, ""), result(5, 2, 0, " ", { content: "" })].map(
    (empty) => promptOf([call(3, 2, 0, "{}"), empty])[1],
  );
  for (const message of outputs) {
    assert.deepEqual(message?.content, [
      {
        type: "tool-result",
        toolCallId: "call_2_0",
        toolName: "read",
        output: { type: "text", value: "(no output)" },
      },
    ]);
  }
});

test("where the adapter loses the error flag, the text says it", () => {
  const [, message] = promptOf([call(3, 2, 0, "{}"), result(5, 2, 0, "missing", { is_error: true })], {
    errorFlag: "lost",
  });
  assert.deepEqual(message?.content, [
    {
      type: "tool-result",
      toolCallId: "call_2_0",
      toolName: "read",
      output: { type: "error-text", value: "Error: missing" },
    },
  ]);
});

test("what a tool or the host keeps for itself is never sent, and a reference stays where it was typed", () => {
  const kept = result(5, 2, 0, "ok");
  const items: CommittedItem[] = [
    {
      seq: 1,
      item: {
        type: "user_message",
        parts: [
          { type: "text", text: "see " },
          { type: "file_ref", path: "a b.ts" },
        ],
      },
    },
    {
      seq: 2,
      item: {
        type: "system_item",
        kind: "file_attachment",
        source: "host",
        body: "b",
        record: { secret: 1 },
      },
    },
    call(3, 2, 0, "{}"),
    { seq: 5, item: { ...kept.item, record: { secret: 2 } } as CommittedItem["item"] },
  ];
  const prompt = JSON.stringify(promptOf(items));
  assert.ok(!prompt.includes("secret"), prompt);
  assert.ok(prompt.includes('see @\\"a b.ts\\"'), prompt);
});

test("with the developer role a system item has it everywhere, also without a system prompt", () => {
  const request = requestOf([note(2, "now")]);
  const headless = { ...request, head: { ...request.head, system: "" } };
  assert.deepEqual(lowerRequest(headless, { ...traits, systemItems: "developer" }).prompt, [
    { role: "system", content: "now" },
  ]);
});

test("old arguments that are no object are sent as {}", () => {
  for (const raw of ["", "null", "[]", "1", '"x"', '{"a":', "garbage"])
    assert.deepEqual(argumentsObject(raw), {});
  assert.deepEqual(argumentsObject('{"a":{"b":[1]}}'), { a: { b: [1] } });
});

test("old arguments nested as deep as JSON may be are sent, one deeper, or 20,000 deep, are {}", () => {
  const nested = (depth: number): string => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  assert.equal(JSON.stringify(argumentsObject(nested(jsonDepthMax))), nested(jsonDepthMax));
  for (const depth of [jsonDepthMax + 1, 20_000]) assert.deepEqual(argumentsObject(nested(depth)), {});
});

test("a name that no tool can have is sent as one that a provider takes, in the call and in its result", () => {
  const rows: readonly [string, string][] = [
    ["Read", "Read"],
    ["x".repeat(wireToolNameMax), "x".repeat(wireToolNameMax)],
    ["x".repeat(wireToolNameMax + 1), "x".repeat(wireToolNameMax)],
    ["functions.Read <|x|>", "functions_Read___x__"],
    ["", "unnamed"],
    ["\u{1f680}\u00e9", "___"],
  ];
  for (const [name, sent] of rows) {
    assert.equal(wireToolName(name), sent);
    assert.match(sent, /^[a-zA-Z0-9_-]{1,64}$/);
    const [made, answered] = promptOf([call(3, 2, 0, "{}", name), result(4, 2, 0, "no such tool", { name })]);
    assert.deepEqual(
      [made, answered].map((message) => JSON.stringify(message).match(/"toolName":"([^"]*)"/)?.[1]),
      [sent, sent],
    );
  }
});

test("call ids on the wire are our own and of characters that every provider takes", () => {
  const [first] = promptOf([call(3, 12, 7, "{}"), result(4, 12, 7, "x")]);
  assert.match(JSON.stringify(first), /"call_12_7"/);
  const item = call(3, 12, 7, "{}").item;
  assert.ok(item.type === "tool_call");
  assert.match(wireCallId(item.call), /^[a-zA-Z0-9_-]+$/);
});

test("a dangling call and an orphan result throw", () => {
  const faults: readonly (readonly CommittedItem[])[] = [
    [call(3, 2, 0, "{}")],
    [call(3, 2, 0, "{}"), user(4, "x"), result(5, 2, 0, "r")],
    [call(3, 2, 0, "{}"), note(4, "x"), result(5, 2, 0, "r")],
    [call(3, 2, 0, "{}"), call(4, 2, 1, "{}"), result(5, 2, 0, "r"), said(6, "x"), result(7, 2, 1, "r")],
    [call(3, 2, 0, "{}"), call(4, 2, 1, "{}"), result(5, 2, 0, "r"), call(6, 5, 0, "{}")],
    [call(3, 2, 0, "{}"), call(4, 2, 0, "{}"), result(5, 2, 0, "r")],
    [result(5, 2, 0, "r")],
    [call(3, 2, 0, "{}"), result(5, 2, 0, "r"), result(6, 2, 0, "r")],
  ];
  for (const items of faults) {
    assert.throws(() => assertCallsAnswered(items), Error);
    assert.throws(() => promptOf(items), Error);
  }
  assertCallsAnswered([said(1, "x"), call(3, 2, 0, "{}"), said(4, "y"), result(5, 2, 0, "r"), said(6, "z")]);
});

test("at most four cache marks, at the ends of system prompt, last request and this one; nothing else differs", () => {
  const items = [
    user(1, "go"),
    call(3, 2, 0, "{}"),
    result(4, 2, 0, "r"),
    note(5, "n"),
    said(7, "x"),
    user(8, "more"),
    note(9, "m"),
  ];
  const marked = lowerRequest(requestOf(items), { ...traits, cacheMark: mark });
  assert.deepEqual(
    marked.prompt.map((message) => JSON.stringify(message).includes("cacheControl")),
    [true, false, false, false, true, false, false, true],
  );
  const unmarked: unknown = JSON.parse(
    JSON.stringify(marked, (key, value: unknown) => (key === "providerOptions" ? undefined : value)),
  );
  assert.deepEqual(unmarked, JSON.parse(JSON.stringify(lowerRequest(requestOf(items), traits))));
  const alone = lowerRequest(requestOf([user(1, "go")]), { ...traits, cacheMark: mark });
  assert.equal(JSON.stringify(alone).match(/cacheControl/g)?.length, 2);
});

test("property: the same request lowers to the same options, before and after JSON", () => {
  const step = fc.record({
    text: fc.string(),
    calls: fc.array(fc.tuple(fc.oneof(fc.json(), fc.string()), fc.string(), fc.boolean()), { maxLength: 3 }),
    note: fc.option(fc.string()),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
      const items: CommittedItem[] = [user(1, "go")];
      for (const [index, { text, calls, note: body }] of steps.entries()) {
        const request = 10 * (index + 1);
        items.push(said(request, text));
        calls.forEach(([args], at) => items.push(call(request, request, at, args)));
        calls.forEach(([, summary, failed], at) =>
          items.push(result(request + 5, request, at, summary, { is_error: failed })),
        );
        items.push(body === null ? user(request + 8, "more") : note(request + 9, body));
      }
      const request = requestOf(items);
      const once = lowerRequest(request, { ...traits, cacheMark: mark });
      const again = lowerRequest(JSON.parse(JSON.stringify(request)), { ...traits, cacheMark: mark });
      assert.deepEqual(again, once);
    }),
    { seed: 20260101, numRuns: 200 },
  );
});
