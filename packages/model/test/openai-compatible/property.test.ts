/** Property: whatever chunks a server sends, the answer is read to one end, and is whole only if the server said so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chunk, done, frame } from "../../../../test/support/openai-compatible-server.ts";
import type { Frame } from "../../../../test/support/provider-answer.ts";
import { read } from "../support.ts";
import { bench, go, part, raw } from "./bench.ts";

const seed = 20261122;
const count = 150;

type Sent = Frame & { readonly content?: string; readonly ends?: true };

const text = fc.constantFrom("", "a", " é", "日本", "👩‍🚀", '"arguments":{', "[DONE]", "\n");
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { freq: 2 });

const content: fc.Arbitrary<Sent> = text.map((piece) => ({
  ...chunk({ content: piece }),
  content: piece,
}));
const reasoning: fc.Arbitrary<Sent> = fc
  .tuple(fc.constantFrom("reasoning", "reasoning_content"), text)
  .map(([field, piece]) => chunk({ [field]: piece }));
const call: fc.Arbitrary<Sent> = fc
  .tuple(
    maybe(fc.nat(2)),
    fc.constantFrom<unknown>("", "{", '{"a":1}', "}", null, { a: { arguments: {} } }, 5),
    maybe(fc.constantFrom("x", "y", "")),
    maybe(fc.constantFrom("read", "list", " ")),
  )
  .map(([index, args, id, name]) =>
    chunk({
      tool_calls: [part(index, args, { ...(id !== null && { id }), ...(name !== null && { name }) })],
    }),
  );
const other: fc.Arbitrary<Sent> = fc.constantFrom<Sent>(
  frame({ wind: 3 }),
  frame({ choices: [] }),
  frame({ choices: null, usage: { prompt_tokens: 3 } }),
  frame({ error: { message: "boom", code: 500 } }),
  frame({ object: "error", message: "boom" }),
  frame([]),
  { text: "data: {\n\n" },
  { text: ": alive\n\n" },
  { text: "\n\n" },
);
const end: fc.Arbitrary<Sent> = fc
  .constantFrom("stop", "length", "tool_calls", "eos")
  .map((reason) => ({ ...chunk({}, reason), ends: true }));

const weighted = fc.oneof(
  { weight: 6, arbitrary: content },
  { weight: 2, arbitrary: reasoning },
  { weight: 4, arbitrary: call },
  { weight: 1, arbitrary: other },
  { weight: 2, arbitrary: end },
);
const stream: fc.Arbitrary<readonly Sent[]> = fc
  .tuple(fc.array(weighted, { maxLength: 12 }), fc.boolean())
  .map(([frames, isDone]) => (isDone ? [...frames, done, chunk({ content: "behind the end" })] : frames));

test(`property: any chunks are one answer, whole or failed (${count} streams, seed ${seed})`, async () => {
  const streams = fc.sample(stream, { seed, numRuns: count });
  let whole = 0;
  await bench(streams.map(raw), async ({ model }) => {
    for (const [at, frames] of streams.entries()) {
      const where = `stream ${at}: ${frames.map(({ text: sent }) => sent).join("")}`;
      const answer = await read(model, go);
      if (answer.terminal.type === "failure") {
        assert.notEqual(answer.terminal.failure.kind, "network", where);
        continue;
      }
      whole += 1;
      assert.ok(
        frames.some(({ ends }) => ends),
        where,
      );
      assert.ok(
        answer.blocks.every((block) => block.text !== null),
        where,
      );
      const shown = answer.blocks.filter(({ block }) => block === "text").map((block) => block.text);
      assert.equal(shown.join(""), frames.map((sent) => sent.content ?? "").join(""), where);
    }
  });
  // Both kinds are met, so that neither half is about nothing.
  assert.ok(whole > count / 10 && whole < count, `${whole} whole`);
});
