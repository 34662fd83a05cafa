/** No committed item can poison a session: whatever history holds, the next request is one that its provider takes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callId, type CommittedItem, type Image, type Item, type JsonObject } from "@yoi/base";
import { bench as anthropic } from "../anthropic/bench.ts";
import type { Bench } from "../conformance/adapter.ts";
import { bench as google } from "../google/bench.ts";
import { bench as openAi } from "../openai/bench.ts";
import { bench as openAiCompatible } from "../openai-compatible/bench.ts";
import { picture, read, requestOf, user } from "../support.ts";
import { assertTaken, type demands } from "./wire-validity.ts";

type Provider = keyof typeof demands;

interface Row {
  readonly provider: Provider;
  readonly bench: (answers: readonly [], body: (bench: Bench) => Promise<void>) => Promise<void>;
  /** Of reasoning that goes back to it. */
  readonly signed: JsonObject;
}

const rows: readonly Row[] = [
  { provider: "anthropic", bench: anthropic, signed: { anthropic: { signature: "c2ln" } } },
  {
    provider: "openai",
    bench: openAi,
    signed: { openai: { itemId: "rs_1", reasoningEncryptedContent: "ZW5j" } },
  },
  { provider: "google", bench: google, signed: { google: { thoughtSignature: "c2ln" } } },
  { provider: "openai-compatible", bench: openAiCompatible, signed: { "openai-compatible": {} } },
];

const oddTexts = [
  "",
  " \n\t",
  "\u0000",
  "\ud83d",
  "a\udc00b",
  "\u{1f600}".slice(1),
  "\u200b",
  "\ufeff",
  '</yoi-note> "\\',
  "plain",
];
const oddNames = [
  "",
  " ",
  "functions.Read",
  "Read",
  "\ud83d",
  "n".repeat(300),
  "__proto__",
  "constructor",
  "名前",
];
const oddArguments = [
  "",
  "{",
  "null",
  "[1]",
  '"text"',
  "{}",
  '{"a":"\\ud83d"}',
  '{"\\udc00":[{"b":"\\ud83d\\ud83d"}]}',
  '{"__proto__":{"a":1}}',
  '{"a":1e999}',
  `{"a":${"[".repeat(500)}${"]".repeat(500)}}`,
  '{"a":"\ud83d"}',
];
const types: readonly Image["media_type"][] = ["image/png", "image/gif", "image/webp", "image/jpeg"];

/** One step of a session: an answer, the results of its calls, what the host adds, what the user says next. */
interface Step {
  readonly answer: readonly (readonly ["text" | "reasoning", string, "completed" | "incomplete", boolean])[];
  readonly calls: readonly (readonly [string, string, string, string, boolean, number])[];
  readonly notes: readonly (readonly [string, number])[];
  readonly input: string;
}

const text = fc.constantFrom(...oddTexts);
const stepOf: fc.Arbitrary<Step> = fc.record({
  answer: fc.array(
    fc.tuple(
      fc.constantFrom("text", "reasoning"),
      text,
      fc.constantFrom("completed", "incomplete"),
      fc.boolean(),
    ),
    { maxLength: 3 },
  ),
  calls: fc.array(
    fc.tuple(
      fc.constantFrom(...oddNames),
      fc.constantFrom(...oddArguments),
      text,
      text,
      fc.boolean(),
      fc.nat(4),
    ),
    {
      maxLength: 2,
    },
  ),
  notes: fc.array(fc.tuple(text, fc.nat(2)), { maxLength: 2 }),
  input: text,
});

function historyOf(steps: readonly Step[], provider: string, signed: JsonObject): CommittedItem[] {
  const items: CommittedItem[] = [user(1, "go")];
  const add = (item: Item): void => void items.push({ seq: items.length + 1, item });
  const data = { provider_data: { provider, metadata: signed } };
  const pictures = (count: number) =>
    count === 0 ? {} : { images: types.slice(0, count).map((type) => picture("QUJD", type)) };
  for (const { answer, calls, notes, input } of steps) {
    const request = items.length;
    for (const [kind, body, status, hasData] of answer)
      add({
        type: kind === "text" ? "assistant_message" : "reasoning",
        text: body,
        status,
        ...(hasData && data),
      });
    for (const [index, [name, args]] of calls.entries())
      add({
        type: "tool_call",
        call: callId(request, index),
        name,
        arguments: args,
        provider_call_id: "same",
      });
    for (const [index, [name, , summary, content, is_error, count]] of calls.entries())
      add({
        type: "tool_result",
        call: callId(request, index),
        name,
        summary,
        content,
        is_error,
        ...pictures(count),
      });
    for (const [body, count] of notes)
      add({ type: "system_item", kind: "notification", source: "host", body, ...pictures(count) });
    add({ type: "user_message", parts: [{ type: "text", text: input }] });
  }
  // A run begins with an input that says something.
  add({ type: "user_message", parts: [{ type: "text", text: "on" }] });
  return items;
}

function requestWith(items: readonly CommittedItem[], system = "You are a test.") {
  const request = requestOf(items);
  return {
    ...request,
    head: { ...request.head, system, config: { ...request.head.config, images: true } },
  };
}

const seed = 20261122;
const cases = 30;

for (const { provider, bench, signed } of rows) {
  test(`${cases} histories of odd items are taken by ${provider} (seed ${seed})`, () =>
    bench([], async ({ model, requests }) => {
      const sent = async (items: readonly CommittedItem[], system?: string): Promise<Buffer> => {
        await read(model, requestWith(items, system));
        const raw = requests.at(-1)?.raw;
        assert.ok(raw !== undefined);
        return raw;
      };
      await fc.assert(
        fc.asyncProperty(fc.array(stepOf, { minLength: 1, maxLength: 4 }), async (steps) => {
          assertTaken(provider, await sent(historyOf(steps, provider, signed)));
        }),
        { seed, numRuns: cases },
      );
      // 10 MB of a letter that takes two code units, cut in the middle of one.
      const huge = "\u{1f600}".repeat(2_500_000).slice(1);
      assertTaken(provider, await sent([user(1, huge)], "half \ud83d"));
    }));
}

test("what a provider refuses does not pass for taken", () => {
  const refused = (provider: Provider, body: object): void =>
    assert.throws(() => assertTaken(provider, Buffer.from(JSON.stringify(body))));
  const said = (content: unknown, role = "user") => ({ role, content });
  const hello = said([{ type: "text", text: "go" }]);
  assertTaken("anthropic", Buffer.from(JSON.stringify({ messages: [hello] })));
  refused("anthropic", { messages: [said([{ type: "text", text: "\ud83d" }])] });
  refused("anthropic", { messages: [said([{ type: "text", text: " " }])] });
  refused("anthropic", { messages: [hello, hello] });
  const thinking = said([{ type: "thinking", thinking: "a", signature: "s" }], "assistant");
  refused("anthropic", { messages: [hello, thinking, hello] });
  const call = said([{ type: "tool_use", id: "a", name: "Read", input: {} }], "assistant");
  refused("anthropic", { messages: [hello, call, hello] });
  refused("openai", { input: [{ type: "reasoning", encrypted_content: "s" }, said("go")] });
  refused("openai", { input: [{ type: "function_call", call_id: "a", name: "a.b", arguments: "{}" }] });
  refused("openai-compatible", { messages: [said("go"), said(null, "assistant"), said("on")] });
  refused("google", { contents: [{ role: "user", parts: [{ text: "" }] }] });
  refused("google", {
    contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/gif", data: "QQ==" } }] }],
  });
});
