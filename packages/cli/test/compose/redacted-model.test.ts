/** A model without known credentials in what streams of its answers: in no delta, no joined deltas and no failure, wherever the pieces end. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { noUsage } from "@yoi/base";
import { createKnownSecrets, type KnownSecrets } from "@yoi/keep";
import type { BlockKind, Model, ModelEvent } from "@yoi/model";
import { redactedModel } from "../../src/compose/redacted-model.ts";

const key = "sk-ant-0123456789-canary-abcdefghij";
const marker = "[redacted: KEY]";

function known(): KnownSecrets {
  const secrets = createKnownSecrets();
  secrets.learn({ id: "KEY", value: key });
  secrets.learn({ id: "NUMBER", value: "123456789012345" });
  return secrets;
}

function modelOf(events: readonly ModelEvent[], left: () => void = () => undefined): Model {
  return {
    provider: "fake",
    id: "fake-1",
    limits: { contextWindow: 1000, outputTokensMax: 100 },
    capabilities: { images: false, midSystem: false },
    price: () => null,
    adapter: { name: "fake", version: "1" },
    lowering: 1,
    async *stream() {
      try {
        yield* events;
      } finally {
        left();
      }
    },
    lower: async () => ({ sha256: "", bytes: 0, method: "POST", path: "/", headers: {} }),
  };
}

const request = {
  head: { system: "", tools: [], config: { model: "fake/fake-1", max_output_tokens: 1 } },
  items: [],
  projection: { prune_before: null },
};
const options = { signal: new AbortController().signal, beforeSend: async () => undefined };

async function played(events: readonly ModelEvent[], secrets: KnownSecrets): Promise<ModelEvent[]> {
  const out: ModelEvent[] = [];
  for await (const event of redactedModel(modelOf(events), secrets).stream(request, options)) out.push(event);
  return out;
}

function block(index: number, kind: BlockKind, pieces: readonly string[]): ModelEvent[] {
  return [
    { type: "block_start", index, block: kind },
    ...pieces.map((text) => ({ type: "block_delta", index, text }) as const),
    { type: "block_end", index, text: pieces.join("") },
  ];
}

const joined = (events: readonly ModelEvent[], index: number): string =>
  events.map((event) => (event.type === "block_delta" && event.index === index ? event.text : "")).join("");

test("a key that comes in pieces is in no delta, of interleaved blocks too", async () => {
  const text = `one ${key} two ${key}${key} sk-ant`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
      async (lengths) => {
        const pieces: string[] = [];
        for (let at = 0, n = 0; at < text.length; at += lengths[n % lengths.length] ?? 1, n += 1)
          pieces.push(text.slice(at, at + (lengths[n % lengths.length] ?? 1)));
        const [first, second] = [block(0, "text", pieces), block(1, "reasoning", pieces)];
        const events = first.flatMap((event, index) => [event, ...second.slice(index, index + 1)]);
        const out = await played(events, known());
        const expected = `one ${marker} two ${marker}${marker} sk-ant`;
        for (const index of [0, 1]) {
          assert.equal(joined(out, index), expected);
        }
      },
    ),
    { seed: 7, numRuns: 100 },
  );
});

test("an answer that breaks off keeps no beginning of a key; its failure holds none", async () => {
  const failure = { kind: "stream_broken", message: `lost ${key}`, retryable: true } as const;
  const out = await played(
    [
      { type: "block_start", index: 0, block: "text" },
      { type: "block_delta", index: 0, text: `so far ${key.slice(0, 18)}` },
      { type: "failure", failure, usage: noUsage },
    ],
    known(),
  );
  assert.equal(joined(out, 0), "so far ");
  assert.deepEqual(out.at(-1), {
    type: "failure",
    failure: { ...failure, message: `lost ${marker}` },
    usage: noUsage,
  });
});

test("a whole block is passed on as it came, with what its provider signed: the log decides what of it is kept", async () => {
  const end: ModelEvent = {
    type: "block_end",
    index: 0,
    text: `thought of ${key}`,
    metadata: { p: { signature: "s" } },
  };
  const out = await played([...block(0, "reasoning", [`thought of ${key}`]).slice(0, 2), end], known());
  assert.deepEqual(out.at(-1), end);
});

test("a piece that must wait says that the stream is alive; nothing else is changed, added or left out", async () => {
  const events: ModelEvent[] = [
    { type: "ping" },
    ...block(0, "text", ["a word", " and another"]),
    {
      type: "retry",
      attempt: 1,
      attemptsMax: 4,
      waitMs: 10,
      failure: { kind: "server", message: "later", retryable: true },
      usage: noUsage,
    },
    { type: "finish", reason: "stop", usage: noUsage },
  ];
  assert.deepEqual(await played(events, known()), events);
  assert.deepEqual(await played(events, createKnownSecrets()), events);
  const waiting = await played(block(0, "text", ["sk-", "ip"]), known());
  assert.deepEqual(
    waiting.map((event) => (event.type === "block_delta" ? event.text : event.type)),
    ["block_start", "ping", "sk-ip", "block_end"],
  );
});

test("who leaves the iteration leaves the model's own", async () => {
  let left = false;
  const model = redactedModel(
    modelOf(block(0, "text", ["a", "b"]), () => (left = true)),
    known(),
  );
  for await (const event of model.stream(request, options)) if (event.type === "block_delta") break;
  assert.equal(left, true);
});
