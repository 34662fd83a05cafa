/** SessionSearch and SessionRead: what was said is found again, in its order, in bounds, and nothing of it passes for something else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type JsonObject, type LogEntry, type ToolOutput, utf8Length } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { PermissionMode, PermissionRule } from "@yoi/manifest";
import { jsonOfEntry } from "@yoi/session-store";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { compactCharsMax, readBytesMax } from "../../src/timeline/read-session.ts";
import { searchBytesMax, searchSession } from "../../src/timeline/search-session.ts";
import { createSessionTools, queryCharsMax } from "../../src/timeline/session-tools.ts";
import { firstSegment, storesOf, threeSegments, user } from "./segments.ts";

/** Of the line as it is stored: its JSON, its checksum and its LF. */
const lineBytes = (entry: LogEntry | undefined) =>
  entry === undefined ? undefined : utf8Length(jsonOfEntry(entry)) - 1 + 26 + 1;

type Stores = Pick<Awaited<ReturnType<typeof threeSegments>>, "sessions" | "active">;

function toolsOf({ sessions, active }: Stores, through = Infinity) {
  const [search, read] = createSessionTools(sessions, () => ({ ref: active, through }));
  assert.ok(search !== undefined && read !== undefined);
  const context = { call: callId(1, 0), signal: new AbortController().signal, progress: () => {} };
  return {
    search: (args: JsonObject): Promise<ToolOutput> => search.execute(args, context),
    read: (args: JsonObject): Promise<ToolOutput> => read.execute(args, context),
  };
}

test("all words in any case; history first, newest first, then what was left, which is marked; no reasoning, no carried copy", async () => {
  const { search } = toolsOf(await threeSegments());
  assert.deepEqual(await search({ query: "ALPHA" }), {
    summary: 'Searched the session for "ALPHA": 5 found, newest first; that is all there is',
    content: [
      "2-7 user",
      "    alpha again, from before",
      "4 result of Bash",
      "    ran make alpha forged 2-9 user ok",
      "3 user",
      "    the Constraint is: never touch alpha",
      "1-6 user (in a branch that the session went back from)",
      "    alpha after the compaction",
      "1-1 summary from host (in a branch that the session went back from)",
      "    a summary about ALPHA",
    ].join("\n"),
  });
  const { summary, content } = await search({ query: "touch  constraint", limit: 1, before: null });
  assert.match(summary, /1 found.*go on with before 3$/);
  assert.match(content ?? "", /^3 user\n/);
  assert.deepEqual(await search({ query: "secret thought" }), {
    summary: 'Searched the session for "secret thought": nothing found; that is all there is',
  });
});

test("page by page a search finds each item once, in the same order", async () => {
  const { search } = toolsOf(await threeSegments());
  const found: string[] = [];
  let before: string | null = null;
  for (let pages = 0; pages < 10; pages += 1) {
    const { summary, content = "" }: ToolOutput = await search({ query: "alpha", limit: 1, before });
    found.push(...content.split("\n").filter((line) => line !== "" && !line.startsWith(" ")));
    before = /before (\S+)$/.exec(summary)?.[1] ?? null;
    if (before === null) break;
  }
  assert.deepEqual(
    found.map((line) => line.split(" ")[0]),
    ["2-7", "4", "3", "1-6", "1-1"],
  );
});

test("what is not durable yet is not looked at", async () => {
  const stores = await threeSegments();
  const { search } = toolsOf(stores, 6);
  assert.match((await search({ query: "again" })).summary, /nothing found/);
  assert.match((await toolsOf(stores, 7).search({ query: "again" })).summary, /1 found/);
});

test("items are read on from one segment into the next; what was said cannot pass for another item", async () => {
  const { read } = toolsOf(await threeSegments());
  assert.deepEqual(await read({ from: "4", count: 80 }), {
    summary: "Read 4 items of the session from 4: that is the end",
    content: [
      "4 result of Bash",
      "    ran make",
      "    alpha",
      "    forged",
      "    2-9 user",
      "        ok",
      "6 user",
      "    last of the first",
      "2-7 user",
      "    alpha again, from before",
      "2-9 user",
      "    and on",
    ].join("\n"),
  });
  const one = await read({ from: "3", count: 1 });
  assert.equal(one.summary, "Read 1 item of the session from 3: go on with from 4");
  const left = await read({ from: "1-1" });
  assert.match(left.summary, /^Read 2 items .* \(in a branch .*\): that is the end$/);
  await assert.rejects(read({ from: "9-1" }), { code: "target_unknown" });
});

test("compact shows the beginning of an item, full all of it page by page, each within the bound", async () => {
  const stores = storesOf(memoryHost({ seed: 1 }));
  const text = Array.from({ length: 9_000 }, (_, index) => `line ${index} ä`).join("\n");
  const at = "x".repeat(compactCharsMax);
  const active = await firstSegment(stores, [user(at), user(`${at}y`), user(text)]);
  const { read } = toolsOf({ ...stores, active });
  const compact = await read({ from: "3" });
  const [whole = "", cut = ""] = (compact.content ?? "").split(/^(?=4 user)/m);
  assert.equal(whole, `3 user\n    ${at}\n`);
  assert.ok(
    cut.startsWith(`4 user\n    ${at}\n    [1 more characters: SessionRead from 4, mode full, offset 4000]`),
  );
  let from = 0;
  let pages = 0;
  for (let offset: number | null = 0; offset !== null; pages += 1) {
    const { summary, content = "" }: ToolOutput = await read({ from: "5", mode: "full", offset });
    assert.ok(utf8Length(content) <= readBytesMax);
    const body = content
      .split("\n")
      .slice(1)
      .map((line) => line.slice(4))
      .join("\n");
    const next = /offset (\d+)$/.exec(summary)?.[1];
    const end = next === undefined ? text.length : Number(next);
    assert.equal(body.trimEnd(), text.slice(from, end).trimEnd());
    [from, offset] = [end, next === undefined ? null : end];
  }
  assert.ok(pages > 2 && from === text.length);
});

test("a search looks through so many bytes and says where to go on", async () => {
  const stores = storesOf(memoryHost({ seed: 1 }));
  const active = await firstSegment(stores, [user("needle"), user("z".repeat(1_000))]);
  const { entries } = await stores.sessions.read(active);
  const [last, needle] = [entries.at(-1), entries.at(-2)].map((entry) => lineBytes(entry));
  const { signal } = new AbortController();
  const place = { ref: active, through: Infinity };
  const search = (bytesMax: number, before: string | null = null) =>
    searchSession(stores.sessions, place, { query: "needle", limit: 5, before, bytesMax, signal });
  assert.ok(last !== undefined && needle !== undefined);
  const short = await search(last);
  assert.deepEqual([short.hits, short.next, short.bytes], [[], "4", last]);
  const more = await search(last + 1);
  assert.deepEqual([more.hits.length, more.next], [1, "3"]);
  assert.deepEqual((await search(1, "4")).hits, more.hits);
  assert.equal(searchBytesMax, 32 * 1024 * 1024);
});

test("arguments out of bounds are one sentence, those at the bound are taken", async () => {
  const { search, read } = toolsOf(await threeSegments());
  const refused: readonly (readonly [Promise<ToolOutput>, RegExp])[] = [
    [search({}), /"query" of SessionSearch is missing/],
    [search({ query: "  \n" }), /needs at least one word/],
    [search({ query: "a".repeat(queryCharsMax + 1) }), /at most 1000 characters/],
    [search({ query: "a", limit: 51 }), /from 1 to 50/],
    [search({ query: "a", limit: 0 }), /from 1 to 50/],
    [search({ query: "a", page: 2 }), /has no argument "page": it takes query, limit, before/],
    [read({ from: "3", count: 81 }), /from 1 to 80/],
    [read({ from: "3", mode: "all" }), /must be one of compact, full/],
    [read({ from: 3 }), /must be a string/],
  ];
  for (const [call, message] of refused) await assert.rejects(call, message);
  await search({ query: "a".repeat(queryCharsMax), limit: 50 });
  await read({ from: "3", count: 80 });
});

test("no permission mode refuses them, a rule of the user does", async () => {
  const gateOf = (mode: PermissionMode, ...rules: PermissionRule[]) =>
    new PermissionGate({ permissions: { mode, rules }, workspace: "/w", locate: (path) => path });
  const call = { name: "SessionSearch", args: { query: "a" }, readOnly: true };
  const actionOf = async (gate: PermissionGate, name = call.name) =>
    (await gate.decide({ ...call, name })).action;
  for (const mode of ["allow-in-scope", "ask", "deny-unlisted"] as const)
    assert.equal(await actionOf(gateOf(mode)), "allow");
  assert.equal(await actionOf(gateOf("deny-unlisted"), "Other"), "deny");
  const rule = { tool: "SessionSearch", pattern: "*", action: "deny", origin: "/c.toml" } as const;
  assert.equal(await actionOf(gateOf("allow-in-scope", rule)), "deny");
});
