/** The text that permission rules are matched against. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@yoi/base";
import { argumentOf, type CallTarget, targetOf, tellingArgumentOf } from "../src/index.ts";

test("the target of a call is the one telling argument of its tool, else all of them", () => {
  const all = { url: "u", query: "q", path: "d", file_path: "f", command: "c" };
  const json = JSON.stringify(all);
  const cases: readonly (readonly [
    tool: string,
    args: JsonObject,
    kind: CallTarget["kind"],
    text: string,
  ])[] = [
    ["Bash", all, "command", "c"],
    ["Read", all, "path", "f"],
    ["Write", all, "path", "f"],
    ["Edit", all, "path", "f"],
    ["Glob", all, "path", "d"],
    ["Grep", all, "path", "d"],
    ["Glob", { pattern: "*" }, "path", "."],
    ["Grep", {}, "path", "."],
    ["Grep", { path: 1 }, "text", '{"path":1}'],
    ["WebFetch", all, "url", "u"],
    ["WebSearch", all, "text", "q"],
    ["Deploy", all, "text", json],
    ["bash", all, "text", json],
    ["Bash", { command: "" }, "command", ""],
    ["Bash", { command: 1, path: "d" }, "text", '{"command":1,"path":"d"}'],
    ["Read", {}, "text", "{}"],
    [
      "Bash",
      JSON.parse('{"__proto__": {"command": "x"}}') as JsonObject,
      "text",
      '{"__proto__":{"command":"x"}}',
    ],
    ["Bash", Object.create({ command: "inherited" }) as JsonObject, "text", "{}"],
  ];
  for (const [tool, args, kind, text] of cases) assert.deepEqual(targetOf(tool, args), { kind, text }, tool);
});

test("one argument is a text as it is, another value as compact JSON, and of the kind that the tool takes it for", () => {
  const args = { file_path: "f", path: "d", command: "c", n: 1, list: ["a", { b: null }], none: null };
  const cases: readonly (readonly [tool: string, argument: string, target: CallTarget | null])[] = [
    ["Read", "file_path", { kind: "path", text: "f" }],
    ["Read", "path", { kind: "text", text: "d" }],
    ["Grep", "path", { kind: "path", text: "d" }],
    ["Bash", "command", { kind: "command", text: "c" }],
    ["Deploy", "command", { kind: "text", text: "c" }],
    ["Deploy", "n", { kind: "text", text: "1" }],
    ["Deploy", "list", { kind: "text", text: '["a",{"b":null}]' }],
    ["Deploy", "none", { kind: "text", text: "null" }],
    ["Deploy", "other", null],
    ["Deploy", "constructor", null],
  ];
  for (const [tool, argument, target] of cases)
    assert.deepEqual(argumentOf(tool, argument, args), target, `${tool} ${argument}`);
  assert.deepEqual(argumentOf("Glob", "path", {}), { kind: "path", text: "." });
  assert.equal(argumentOf("Glob", "pattern", {}), null);
  assert.deepEqual(["Bash", "Glob", "Deploy"].map(tellingArgumentOf), ["command", "path", null]);
});
