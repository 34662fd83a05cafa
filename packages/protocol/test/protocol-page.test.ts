/** docs/protocol.md says what the code does: each of its tables against the data that it is about. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { jsonDepthMax } from "@yoi/base";
import * as protocol from "../src/index.ts";
import {
  type MethodName,
  mayCall,
  podStates,
  protocolErrorCodes,
  roles,
  type StateCell,
  stateTable,
  streamRoles,
} from "../src/index.ts";
import { calls, events, helloParams, lives, runEnds, view } from "./support/sample-lines.ts";

const page = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8");

/** The rows of the one table with this head, cell by cell, without the marks of code. */
function table(...head: readonly string[]): readonly (readonly string[])[] {
  const tables = page
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")));
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
  const found = tables.filter(([first]) => first !== undefined && cells(first).join() === head.join());
  assert.equal(found.length, 1, `tables with the head ${head.join()}`);
  return (found[0] ?? [])
    .slice(2)
    .map((line) => cells(line).map((cell) => cell.replace(/^`([^`]*)`$/, "$1")));
}

/** Words in marks of code. */
const codeOf = (cell: string | undefined): readonly string[] =>
  [...(cell ?? "").matchAll(/`([^`]*)`/g)].flatMap(([, code = ""]) => code.match(/\w+/g) ?? []);
const methods = Object.keys(stateTable) as readonly Exclude<MethodName, "hello">[];

test("the state table of the page is that of the code", () => {
  const words: Partial<Record<StateCell, string>> = {
    take: "done",
    if_unfinished: "done, or `not_paused`",
    nothing: "nothing",
  };
  assert.deepEqual(
    table("method", ...podStates),
    methods.map((method) => [
      method,
      ...podStates.map((state) => words[stateTable[method][state]] ?? stateTable[method][state]),
    ]),
  );
});

test("the roles of the page are those of the code", () => {
  const order = ["user", "peer", "send_only", "child"] as const;
  assert.deepEqual([...order].sort(), [...roles].sort());
  const row = (name: string, may: (role: (typeof order)[number]) => boolean) => [
    name,
    ...order.map((role) => (may(role) ? "yes" : "")),
  ];
  assert.deepEqual(table("method", ...order), [
    ...methods.map((method) => row(method, (role) => mayCall(role, method))),
    row("the stream", (role) => streamRoles.has(role)),
  ]);
});

test("the limits of the page are those of the code, all of them", () => {
  const limits = Object.entries(protocol).filter(
    ([name, value]) => /(Max|Ms)$/.test(name) && typeof value === "number",
  );
  assert.deepEqual(
    table("name", "value", "of")
      .map(([name, value]) => [name, Number(value?.replaceAll(",", ""))])
      .sort(),
    limits.sort(),
  );
  assert.match(page, new RegExp(`Lines are nested at most ${jsonDepthMax} deep`));
});

test("the error codes of the page are those of the code, in their order", () => {
  assert.deepEqual(
    table("code", "meaning").map(([code]) => code),
    [...protocolErrorCodes],
  );
});

test("methods, their params and the fields of hello are those that are read", () => {
  const rows = table("method", "params", "result");
  assert.deepEqual(
    rows.map(([method]) => method),
    methods,
  );
  for (const [method, params] of rows) {
    const known = calls.filter((call) => call.method === method).map((call) => Object.keys(call.params));
    const named = (params ?? "").replace(/: `\w+` or `\w+`/, "");
    // `text` is in marks of code as a single cell, and so came without them.
    const fields = /^\w+$/.test(named) ? [named] : codeOf(named);
    assert.deepEqual([...fields].sort(), [...new Set(known.flat())].sort(), method);
    const optional = [...(params ?? "").matchAll(/`(\w+)`\?/g)].map(([, name]) => name);
    for (const name of optional)
      assert.ok(
        known.some((keys) => !keys.includes(name ?? "")),
        `${method}.${name}`,
      );
  }
  const hello = page.slice(page.indexOf("## Hello"), page.indexOf("## Requests"));
  assert.deepEqual(
    [...hello.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
    Object.keys(helloParams),
  );
});

test("events, the view, live events and ends of runs are those that are said, with all their fields", () => {
  const rows = (...head: readonly string[]) =>
    new Map(table(...head).map(([name = "", text]) => [name, text]));
  const eventRows = rows("event", "fields");
  assert.deepEqual([...eventRows.keys()], [...new Set(events.map(({ event }) => event))]);
  for (const { event, ...fields } of events) {
    for (const name of Object.keys(fields))
      assert.ok(isNamed(eventRows.get(event), name), `${event}.${name}`);
  }
  const liveRows = rows("type", "fields");
  assert.deepEqual([...liveRows.keys()], [...new Set(lives.map(({ type }) => type))]);
  for (const { type, ...fields } of lives) {
    for (const name of Object.keys(fields)) assert.ok(isNamed(liveRows.get(type), name), `${type}.${name}`);
  }
  const endRows = rows("kind", "fields");
  assert.deepEqual([...endRows.keys()], [...new Set(runEnds.map(({ kind }) => kind))]);
  for (const { kind, ...fields } of runEnds) {
    for (const name of Object.keys(fields)) assert.ok(isNamed(endRows.get(kind), name), `${kind}.${name}`);
  }
  const viewPart = page.slice(page.indexOf("### The view"), page.indexOf("### Live events"));
  const keys = (value: unknown): readonly string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, field]) => [
          ...(Array.isArray(value) ? [] : [key]),
          ...keys(field),
        ])
      : [];
  const { alerts: _alerts, last_run: _run, ...shown } = view;
  for (const name of keys(shown)) assert.ok(codeOf(viewPart).includes(name), name);
});

/** A cell that is one word of code came without its marks. */
function isNamed(cell: string | undefined, name: string): boolean {
  return cell === name || codeOf(cell).includes(name);
}
