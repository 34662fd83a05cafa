/** In random trees with random ignore files Grep finds what bare ripgrep finds, with and without the sandbox, and pages put together are the whole. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { showName } from "../../packages/tools/src/search/show-name.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import type { Proof } from "../support/proof.ts";
import { makeSearchPlace, putTraps, type Searcher, searcher } from "./places.ts";

const names = ["a", "b", "ab", "build", "x.log", "y.ts", "z.tmp", ".h", "é", "a b", "Build", "#c", "n\nl"];
const globs = [
  "a",
  "b",
  "*.log",
  "*.ts",
  "build",
  "build/",
  "/build",
  "/a",
  "a/",
  "a/b",
  "/a/b",
  "**/a",
  "a/**",
  "**/ab/**",
  "a/**/b",
  "*",
  "/*",
  "?",
  "??",
  "[ab]",
  "[!a]*",
  "*.{log,tmp}",
  ".h",
  ".*",
  "\\#c",
  "é",
  "x.*",
  "*b*",
  "y.t?",
  "**",
  "**/",
  "a b",
  "[a-c]/",
  "Build",
];
const line = fc.tuple(fc.constantFrom("", "", "!"), fc.constantFrom(...globs)).map((parts) => parts.join(""));
const ignoreFile = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => `${lines.join("\n")}\n`);
const directory = fc.array(fc.constantFrom(...names.filter((name) => !name.includes("."))), { maxLength: 3 });
const file = fc.tuple(
  directory,
  fc.constantFrom(...names),
  fc.constantFrom("one\n", "one two\nthree\n", "two\nx\none\n"),
);
const rules = fc.tuple(
  directory,
  fc.constantFrom(".gitignore", ".gitignore", ".ignore", ".rgignore", ".git/info/exclude"),
  ignoreFile,
);
const tree = fc.record({
  files: fc.array(file, { minLength: 8, maxLength: 25 }),
  rules: fc.array(rules, { minLength: 1, maxLength: 5 }),
  start: directory,
  pattern: fc.constantFrom("one", "t.o", "^x$", "e$", "one|three", "(?i)ONE", "nothing"),
  size: fc.integer({ min: 1, max: 5 }),
});

interface Scene {
  readonly place: ReturnType<typeof makeSearchPlace>;
  readonly ways: readonly Searcher[];
}

let scene: Promise<Scene> | null = null;

async function makeScene(): Promise<Scene> {
  const place = makeSearchPlace();
  putTraps(place);
  process.once("exit", () => place.remove());
  const modes = noBubblewrap() === false ? (["on", "off"] as const) : (["off"] as const);
  return { place, ways: await Promise.all(modes.map((mode) => searcher(place, mode))) };
}

export async function closeScene(): Promise<void> {
  for (const way of (await scene)?.ways ?? []) await way.close();
}

async function pages(way: Searcher, args: Record<string, string | number>, size: number): Promise<string[]> {
  const all: string[] = [];
  for (let offset = 0; ;) {
    const [summary = "", ...body] = (await way.call("Grep", { ...args, head_limit: size, offset })).split(
      "\n",
    );
    assert.doesNotMatch(summary, /^[a-z_]+: /);
    all.push(...body.filter((one) => one !== "" && one !== "--"));
    const next = /go on with offset ([0-9]+)$/.exec(summary)?.[1];
    if (next === undefined) return all;
    assert.equal(Number(next), offset + size);
    offset = Number(next);
  }
}

/** What ripgrep itself finds in the directory, in the order that Grep has. */
function bare(pattern: string, path: string, more: readonly string[] = []): string[] {
  const args = [
    "--no-config",
    "--no-ignore-global",
    "--no-require-git",
    "--crlf",
    "--glob=!.git",
    "-l",
    "--null",
    ...more,
    "--",
    pattern,
    path,
  ];
  try {
    return execFileSync(rgPath, args, { encoding: "latin1", stdio: ["ignore", "pipe", "pipe"] })
      .split("\0")
      .filter((one) => one !== "")
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map(showName);
  } catch (thrown) {
    if (thrown instanceof Error && "status" in thrown && thrown.status === 1) return [];
    throw thrown;
  }
}

/** Of all cases: where nothing is found, or nothing left out, the cases prove nothing. */
export const outcomes = { found: 0, ignored: 0 };

export const randomTrees: Proof = {
  name: "Grep finds what bare ripgrep finds in random trees, with and without the sandbox",
  cases: { test: 12, prove: 3_000 },
  check: async (index) => {
    scene ??= makeScene();
    const { place, ways } = await scene;
    const [sample] = fc.sample(tree, { seed: index, numRuns: 1 });
    assert.ok(sample);
    try {
      const at = (...parts: readonly string[]) => ["t", ...parts].join("/");
      mkdirSync(`${place.workspace}/${at(...sample.start)}`, { recursive: true });
      // A name that is a directory already cannot be a file too, and the other way round.
      for (const [path, name, content] of sample.files) putIfFree(place, at(...path, name), content);
      for (const [path, name, content] of sample.rules) putIfFree(place, at(...path, name), content);
      for (const start of new Set([at(), at(...sample.start)])) {
        const path = `${place.workspace}/${start}`;
        const found = bare(sample.pattern, path);
        const pattern: string = sample.pattern;
        outcomes.found += found.length;
        outcomes.ignored += bare(pattern, path, ["--no-ignore", "--hidden"]).length - found.length;
        for (const way of ways) {
          assert.deepEqual(await pages(way, { pattern, path }, sample.size), found);
        }
        const wholes: string[] = await Promise.all(
          ways.map((way) =>
            way.call("Grep", { pattern, path, output_mode: "content", "-C": 1, head_limit: 1000 }),
          ),
        );
        assert.equal(new Set(wholes).size, 1, wholes.join("\n\n"));
      }
    } finally {
      rmSync(`${place.workspace}/t`, { recursive: true, force: true });
    }
  },
};

function putIfFree(place: Scene["place"], name: string, content: string): void {
  try {
    place.put(name, content);
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown;
  }
}

function isTaken(thrown: unknown): boolean {
  return (
    thrown instanceof Error &&
    "code" in thrown &&
    ["EEXIST", "ENOTDIR", "EISDIR"].includes(String(thrown.code))
  );
}
