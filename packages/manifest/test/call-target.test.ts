/** The text that permission rules are matched against. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { targetOf } from "../src/index.ts";

test("the target of a call is its first telling argument, else all of them", () => {
  const cases: readonly (readonly [args: JsonObject, target: string])[] = [
    [{ url: "u", query: "q", pattern: "p", path: "d", file_path: "f", command: "c" }, "c"],
    [{ url: "u", query: "q", pattern: "p", path: "d", file_path: "f" }, "f"],
    [{ url: "u", query: "q", pattern: "p", path: "d" }, "d"],
    [{ url: "u", query: "q", pattern: "p" }, "p"],
    [{ url: "u", query: "q" }, "q"],
    [{ url: "u", other: "o" }, "u"],
    [{ command: 1, path: "d" }, "d"],
    [{ command: "" }, ""],
    [{ other: "o", n: [1] }, '{"other":"o","n":[1]}'],
    [{}, "{}"],
    [JSON.parse('{"__proto__": {"command": "x"}}') as JsonObject, '{"__proto__":{"command":"x"}}'],
  ];
  for (const [args, target] of cases) assert.equal(targetOf(args), target);
  assert.equal(targetOf(Object.create({ command: "inherited" }) as JsonObject), "{}");
});
