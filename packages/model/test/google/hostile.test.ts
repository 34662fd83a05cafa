/** Arguments that no tool could take: Gemini sends them as JSON, so they break the answer, and nothing but that answer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { committed, failureOf, read, requestOf, user } from "../support.ts";
import { bench } from "./bench.ts";

const calling = (args: string): { raw: string } => ({
  raw: `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":${args}}}]},"finishReason":"STOP"}]}\r\n\r\n`,
});

test("arguments nested too deep to be put into words, and a key that would reach into every object, break the answer alone", () => {
  const nested = (depth: number): string => `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const answers = [nested(100_000), '{"__proto__":{"polluted":true}}', nested(100)].map(calling);
  return bench(answers, async ({ model }) => {
    const go = requestOf([user(1, "go")]);
    for (let round = 0; round < 2; round += 1) {
      const { kind, message } = failureOf(await read(model, go));
      assert.equal(kind, "stream_broken");
      assert.match(
        message,
        /^Google at 127\.0\.0\.1:\d+ broke off its answer: [^\n]{1,800}; try again later\.$/,
      );
    }
    assert.equal(Reflect.get({}, "polluted"), undefined);
    // Control: what is not that deep is a call, with the same model.
    assert.deepEqual(committed(await read(model, go)), [
      { block: "tool_call", name: "read", text: nested(100) },
    ]);
  });
});
