/** The text of what was thrown, whatever was. */
import assert from "node:assert/strict";
import test from "node:test";
import { messageOf } from "../src/index.ts";

test("anything that can be thrown has a text, and reading it never throws", () => {
  const fail = () => {
    throw new Error("a trap");
  };
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const unprintable = "an unprintable value was thrown";
  const table: readonly [string, unknown, string][] = [
    ["an error", new Error("no disk"), "no disk"],
    ["a text", "no disk", "no disk"],
    ["an object", { code: 7 }, '{"code":7}'],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a cycle", cycle, unprintable],
    ["a message that is no text", Object.assign(new Error("x"), { message: {} }), unprintable],
    ["a message that throws", Object.defineProperty(new Error("x"), "message", { get: fail }), unprintable],
    ["a proxy that throws", new Proxy(new Error("x"), { get: fail, getPrototypeOf: fail }), unprintable],
    ["an object without a text", { toJSON: () => undefined, toString: fail }, unprintable],
  ];
  assert.deepEqual(
    table.map(([what, thrown]) => [what, messageOf(thrown)]),
    table.map(([what, , text]) => [what, text]),
  );
});
