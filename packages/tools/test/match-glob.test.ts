/** Globs: what they match, byte by byte, and in what time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf } from "../src/scoped-files/descent.ts";
import { compileGlob } from "../src/search/match-glob.ts";
import { bracesDepthMax, globBytesMax } from "../src/search/parse-glob.ts";

const table: readonly (readonly [glob: string, matches: readonly string[], others: readonly string[]])[] = [
  ["a", ["a"], ["", "b", "aa", "a/a"]],
  ["*", ["a", ".a", "日本"], ["a/b"]],
  ["*.ts", ["a.ts", ".ts"], ["a.tsx", "d/a.ts", "ts"]],
  ["?", ["a", "é", "日", "😀"], ["", "ab", "/"]],
  ["a?c", ["abc", "aéc"], ["ac", "a/c", "abbc"]],
  ["**", ["a", "a/b", "a/b/c"], []],
  ["**/*", ["a", "a/b", "a/b/c"], []],
  ["**/*.ts", ["a.ts", "a/b.ts", "a/b/c.ts"], ["a.js", "ats"]],
  ["src/**", ["src/a", "src/a/b"], ["src", "srca", "a/src/b"]],
  ["src/**/*.ts", ["src/a.ts", "src/b/a.ts", "src/b/c/a.ts"], ["a.ts", "src.ts", "srcx/a.ts"]],
  ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb", "axb"]],
  ["**/a/**", ["a/b", "x/a/b"], ["a", "x/a", "b"]],
  ["a/**/**/b", ["a/b", "a/x/b"], ["ab"]],
  ["a**b", ["ab", "axb"], ["a/b"]],
  ["[ab]", ["a", "b"], ["c", "ab", ""]],
  ["[!ab]", ["c"], ["a", "b", "/"]],
  ["[^ab]", ["c"], ["a", "b"]],
  ["[a-c]x", ["ax", "cx"], ["dx", "-x"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["[a-]", ["a", "-"], ["b"]],
  ["{a,b}", ["a", "b"], ["c", "ab", "{a,b}"]],
  ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.t", "a.js"]],
  ["{a,b/{c,d}}/e", ["a/e", "b/c/e", "b/d/e"], ["b/e", "c/e"]],
  ["{src,test}/**/*.ts", ["src/a.ts", "test/x/a.ts"], ["lib/a.ts"]],
  ["\\*", ["*"], ["a"]],
  ["\\{a\\}", ["{a}"], ["a"]],
  ["a,b", ["a,b"], ["a"]],
  ["", [""], ["a"]],
];

test("a glob matches what it says and nothing else", () => {
  for (const [glob, matches, others] of table) {
    const matcher = compileGlob(bytesOf(glob), { characters: true });
    assert.ok(typeof matcher !== "string", `${glob}: ${String(matcher)}`);
    for (const path of matches) assert.equal(matcher(bytesOf(path)), true, `${glob} matches ${path}`);
    for (const path of others) assert.equal(matcher(bytesOf(path)), false, `${glob} does not match ${path}`);
  }
});

test("what is no glob is said", () => {
  const problems: readonly (readonly [string, string])[] = [
    ["[", "has a [ without ]"],
    ["[]", "has a [ without ]"],
    ["{a", "has a { without }"],
    ["a}", "has a } without {"],
    ["\\", "ends with a backslash that escapes nothing"],
    ["[z-a]", "has the range z-a, which is the wrong way round"],
    ["{".repeat(17), "has more than 16 braces in braces"],
    ["x".repeat(globBytesMax + 1), `is longer than ${globBytesMax} bytes`],
  ];
  for (const [glob, problem] of problems) assert.equal(compileGlob(glob, { characters: true }), problem);
  assert.equal(typeof compileGlob("x".repeat(globBytesMax), { characters: true }), "function");
});

test("a question mark is one byte where ignore files are meant", () => {
  const matcher = compileGlob("?", { characters: false });
  assert.ok(typeof matcher !== "string");
  assert.deepEqual(["a", "é"].map(bytesOf).map(matcher), [true, false]);
});

test("a glob that repeats itself takes no time to speak of", () => {
  const started = performance.now();
  for (const glob of [
    `${"*a".repeat(500)}b`,
    `${"**/".repeat(300)}b`,
    "{a,b}".repeat(200),
    `${"{a,{b,".repeat(8)}c${"}}".repeat(8)}`,
  ]) {
    const matcher = compileGlob(glob, { characters: true });
    if (typeof matcher !== "string") matcher("a".repeat(255));
  }
  assert.ok(performance.now() - started < 2000);
});

test("braces in braces, at the bound and one deeper", () => {
  const compiled = (depth: number) =>
    compileGlob(`${"{".repeat(depth)}x${"}".repeat(depth)}`, { characters: true });
  assert.equal(typeof compiled(bracesDepthMax), "function");
  assert.equal(compiled(bracesDepthMax + 1), `has more than ${bracesDepthMax} braces in braces`);
});
