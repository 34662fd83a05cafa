/** Paths that are offered for what was typed: of what may be read, in order, bounded, and nothing told of what is outside. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Scope } from "@yoi/base";
import { nodeHost } from "@yoi/host";
import { scopeRule } from "@yoi/scope";
import {
  completionListMs,
  completionMsMax,
  completionOneDirectoryMax,
  type CompletePathOptions,
  pathCompletion,
} from "../src/complete-path.ts";
import { likeness } from "../src/likeness.ts";
import { type Bench, createBench } from "./support.ts";

const benches: Bench[] = [];
after(() => benches.forEach((bench) => bench.close()));

function open(files: readonly string[], options: { readonly allow?: (at: string) => Scope["allow"] } = {}) {
  const scope = (workspace: string): Scope => ({
    allow: options.allow?.(workspace) ?? [scopeRule(workspace, "write")],
    deny: [],
  });
  const bench = createBench({ scope });
  benches.push(bench);
  for (const file of files) bench.put(file, "");
  const clock = { ms: 0, monotonic: () => clock.ms };
  const given: CompletePathOptions = {
    files: bench.files,
    scope: () => scope(bench.workspace),
    workspace: bench.workspace,
    clock,
    timers: nodeHost().timers,
  };
  const complete = pathCompletion(given);
  const paths = async (typed: string, limit = 50) =>
    (await complete(typed, limit)).entries.map(({ path }) => path);
  return { bench, clock, complete, paths, given };
}

const project = [
  "README.md",
  "src/main.ts",
  "src/mailer/send.ts",
  "src/Makefile",
  "src/.hidden/x.ts",
  "docs/main page.md",
  "dist/out.js",
  ".env.example",
  ".gitignore",
];

test("what begins as it was typed: directories first, hidden ones only when they are asked for", async () => {
  const { paths } = open(project);
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["", ["dist/", "docs/", "src/", "README.md"]],
    ["s", ["src/"]],
    ["read", ["README.md"]],
    ["dme", ["README.md", "docs/main page.md"]],
    ["src/", ["src/mailer/", "src/Makefile", "src/main.ts"]],
    ["src/ma", ["src/mailer/", "src/main.ts", "src/Makefile"]],
    ["src/.", ["src/.hidden/"]],
    [".", [".env.example", ".gitignore"]],
    ["docs/m", ["docs/main page.md"]],
    ["nowhere/", []],
    ["README.md/", []],
    ["~", []],
  ];
  for (const [typed, expected] of cases) {
    assert.deepEqual(await paths(typed), expected, JSON.stringify(typed));
  }
});

test("where nothing begins like it the whole workspace is looked through, but for what is hidden or ignored", async () => {
  const { bench, paths } = open(project);
  bench.put(".gitignore", "dist/\n");
  assert.deepEqual(await paths("send"), ["src/mailer/send.ts"]);
  assert.deepEqual(await paths("mailer/send"), ["src/mailer/send.ts"]);
  assert.deepEqual(await paths("srcmn"), ["src/main.ts", "src/mailer/send.ts"]);
  assert.deepEqual(await paths("mtssx"), []);
  assert.deepEqual(await paths("out.js"), []);
  assert.deepEqual(await paths("x.ts"), []);
  assert.deepEqual(await paths("mints"), ["src/main.ts", "src/mailer/send.ts"]);
});

test("absolute paths: only what the scope lets be read, and the way there", async () => {
  const { bench, paths } = open(project);
  writeFileSync(join(bench.root, "secret.txt"), "");
  const above = bench.root.slice(0, bench.root.lastIndexOf("/") + 1);
  assert.deepEqual(await paths(`${bench.workspace}/READ`), [`${bench.workspace}/README.md`]);
  assert.deepEqual(await paths(`${bench.root}/`), [`${bench.workspace}/`]);
  assert.deepEqual(await paths(`${bench.root}/sec`), []);
  assert.deepEqual(await paths(`${above}`), [`${bench.root}/`]);
  assert.deepEqual(await paths("../"), ["../ws/"]);
  assert.deepEqual(await paths("../secret"), []);
  assert.deepEqual(await paths("/etc/pass"), []);
});

test("nothing outside is told from what is not there: links that lead out, protected places, denied ones", async () => {
  const { bench, paths } = open(["in/a.txt"]);
  mkdirSync(join(bench.root, "out"));
  writeFileSync(join(bench.root, "out", "b.txt"), "");
  symlinkSync(join(bench.root, "out"), bench.path("leads-out"));
  symlinkSync(bench.path("in"), bench.path("leads-in"));
  assert.deepEqual(await paths("leads"), ["leads-in/"]);
  assert.deepEqual(await paths("leads-out/"), []);
  assert.deepEqual(await paths("leads-in/"), ["leads-in/a.txt"]);
  assert.deepEqual(await paths(`${bench.root}/data/`), []);
});

test("a name that cannot be typed or would disturb a terminal is not offered", async () => {
  const { paths } = open(["plain", "two\nlines", "bell\u0007", "turned\u202e"]);
  assert.deepEqual(await paths(""), ["plain"]);
});

test("at most as many as are wanted, and it is said that there are more", async () => {
  const { complete } = open(["a1", "a2", "a3"]);
  const two = await complete("a", 2);
  const three = await complete("a", 3);
  assert.deepEqual([two.entries.length, two.more], [2, true]);
  assert.deepEqual([three.entries.length, three.more], [3, false]);
});

test("a list of the workspace is good for a while, and what is gone by then is not offered", async () => {
  const { bench, clock, paths } = open(["deep/one.txt"]);
  assert.deepEqual(await paths("one"), ["deep/one.txt"]);
  bench.put("deep/one-more.txt", "");
  assert.deepEqual(await paths("one"), ["deep/one.txt"]);
  clock.ms = completionListMs + 1;
  assert.deepEqual(await paths("one"), ["deep/one.txt", "deep/one-more.txt"]);
});

test("a walk that takes too long offers what was found by then", async () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `d${index % 2}/f${index}.txt`);
  const { given } = open(names);
  // The clock stands but for the walk, in which it is looked at once behind its beginning.
  const lasting = (ms: number) => {
    let looks = 0;
    return pathCompletion({ ...given, clock: { monotonic: () => ((looks += 1) === 1 ? 0 : ms) } });
  };
  const inTime = await lasting(completionMsMax)("f1499", 5);
  assert.deepEqual([inTime.entries.map(({ path }) => path), inTime.more], [["d1/f1499.txt"], false]);
  const late = await lasting(completionMsMax + 1)("f1499", 5);
  assert.deepEqual([late.entries, late.more], [[], true]);
  const some = await lasting(completionMsMax + 1)("f2.txt", 1);
  assert.deepEqual([some.entries.map(({ path }) => path), some.more], [["d0/f2.txt"], true]);
});

test("a large directory hides nothing that lies beside it, and it is said that not all of it was looked at", async () => {
  const { bench, clock, complete } = open(["src/deep/util.ts"]);
  for (let index = 0; index < completionOneDirectoryMax; index += 1) bench.put(`data/${index}.json`, "");
  const all = await complete("utl", 5);
  assert.deepEqual([all.entries.map(({ path }) => path), all.more], [["src/deep/util.ts"], false]);
  bench.put("data/more.json", "");
  clock.ms = completionListMs + 1;
  const some = await complete("utl", 5);
  assert.deepEqual([some.entries.map(({ path }) => path), some.more], [["src/deep/util.ts"], true]);
});

test("the list of a large directory is good for a while too, and that of a small one is made anew", async () => {
  for (const [count, seen] of [
    [1_025, false],
    [5, true],
  ] as const) {
    const { bench, clock, paths } = open(Array.from({ length: count }, (_, index) => `d/a${index}`));
    assert.equal((await paths(bench.path("d/a"))).length, Math.min(count, 50));
    bench.put("d/new", "");
    const added = bench.path("d/new");
    assert.deepEqual(await paths(added), seen ? [added] : []);
    clock.ms = completionListMs + 1;
    assert.deepEqual(await paths(added), [added]);
  }
});

test("no answer tells whether something is there that may not be read", async () => {
  const { bench, complete } = open(["in/a.txt"]);
  mkdirSync(join(bench.root, "out"));
  writeFileSync(join(bench.root, "out", "b.txt"), "");
  symlinkSync(join(bench.root, "out"), bench.path("leads-out"));
  symlinkSync(join(bench.root, "gone"), bench.path("leads-away"));
  const pairs = [
    [`${bench.root}/out/`, `${bench.root}/gone/`],
    [`${bench.root}/out/b`, `${bench.root}/out/c`],
    [`${bench.root}/out/b.txt`, `${bench.root}/gone/b.txt`],
    [`${bench.root}/ou`, `${bench.root}/go`],
    ["../out/b", "../gone/b"],
    ["leads-out/", "leads-away/"],
    ["leads-out/b", "leads-away/b"],
    ["leads-ou", "leads-aw"],
    ["/etc/passwd", "/etc/there-is-none"],
    [`${bench.root}/data/`, `${bench.root}/date/`],
  ] as const;
  for (const [there, missing] of pairs)
    assert.deepEqual(await complete(there, 50), await complete(missing, 50), `${there} ${missing}`);
});

test("likeness: together in the last component, then in the path, then in that order; the shorter first", () => {
  const order = ["main.ts", "main-long.ts", "the-main.ts", "main/x.ts", "m-a-i-n", "m/a/i/n"];
  const ranks = order.map((path) => likeness(path, "main") ?? -1);
  assert.deepEqual(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
  assert.ok(ranks[0] !== undefined && ranks[0] >= 0);
  assert.equal(likeness("nothing", "main"), null);
  assert.equal(likeness("MAIN.ts", "main"), likeness("main.ts", "MAIN"));
  assert.equal(likeness("a", "ab"), null);
  assert.equal(likeness("anything", ""), 0);
});
