/** What `@` in a prompt refers to, as people type it. */
import assert from "node:assert/strict";
import test from "node:test";
import { fileRefText, flattenInput, type InputPart, parsePrompt, skillNameCharsMax } from "@yoi/base";
import fc from "fast-check";

/** Texts, with each reference in a list of its own. */
type Shown = readonly (string | readonly [string])[];

const shown = (prompt: string): Shown =>
  parsePrompt(prompt).map((part) =>
    part.type === "text" ? part.text : [part.type === "file_ref" ? part.path : part.name],
  );

test("references, and what ends them", () => {
  const table: readonly (readonly [string, Shown])[] = [
    ["go", ["go"]],
    ["@a", [["a"]]],
    ["see @src/a.ts, and @b", ["see ", ["src/a.ts"], ", and ", ["b"]]],
    ["is it in @src/a.ts?", ["is it in ", ["src/a.ts"], "?"]],
    ["why @a.ts...", ["why ", ["a.ts"], "..."]],
    ["(see @a.ts)", ["(see ", ["a.ts"], ")"]],
    ['say "look at @a.ts".', ['say "look at ', ["a.ts"], '".']],
    ["**use @a.ts**", ["**use ", ["a.ts"], "**"]],
    ["@app/[slug]/page.tsx: fix", [["app/[slug]/page.tsx"], ": fix"]],
    ["@app/[slug]", [["app/[slug]"]]],
    ["[@x](@a(1).txt) @a(1).txt)", ["[@x](@a(1).txt) ", ["a(1).txt"], ")"]],
    ["@.", [["."]]],
    ["@..", [[".."]]],
    ["@../x.", [["../x"], "."]],
    ["@.env", [[".env"]]],
    ["@/etc/hosts", [["/etc/hosts"]]],
    ["@src/ and", [["src/"], " and"]],
    ["a\n@b\n\t@c", ["a\n", ["b"], "\n\t", ["c"]]],
    ["@größe/日本.txt", [["größe/日本.txt"]]],
    ['@"a b.txt"', [["a b.txt"]]],
    ['see @"my notes/a b.txt", then', ["see ", ["my notes/a b.txt"], ", then"]],
    ['@"a, b."', [["a, b."]]],
    ['@"a \\"b\\" \\\\ \\c.txt" d', [['a "b" \\ \\c.txt'], " d"]],
    ["@@types/node", [["@types/node"]]],
    ["@scope/package", [["scope/package"]]],
  ];
  for (const [prompt, parts] of table) assert.deepEqual(shown(prompt), parts, prompt);
});

test("signs that refer to nothing stay as they are", () => {
  for (const prompt of [
    "mail me@example.org or <you@example.org>",
    "@",
    "@ b",
    "a @ b",
    "@!",
    "@,",
    "a@b",
    "*@a*",
    '@"unterminated path',
    '@"unterminated path\\"',
    '@"over\nlines"',
    '@""',
    "x\\@y \\d",
  ])
    assert.deepEqual(shown(prompt), [prompt], prompt);
});

test("a backslash before the sign keeps it from referring, and goes", () => {
  assert.deepEqual(shown("\\@a and @b"), ["@a and ", ["b"]]);
  assert.deepEqual(shown('use \\@Override, \\@"x y"'), ['use @Override, @"x y"']);
});

test("a skill is what a prompt begins with", () => {
  const longest = "a".repeat(skillNameCharsMax);
  const skill = (name: string): InputPart => ({ type: "skill_ref", name });
  const text = (said: string): InputPart => ({ type: "text", text: said });
  const table: readonly (readonly [string, readonly InputPart[]])[] = [
    ["/review", [skill("review")]],
    ["/review-me src", [skill("review-me"), text(" src")]],
    ["/review\nall of it", [skill("review"), text("\nall of it")]],
    ["/3d @a.ts", [skill("3d"), text(" "), { type: "file_ref", path: "a.ts" }]],
    [`/${longest}`, [skill(longest)]],
    [`/${longest}a`, [text(`/${longest}a`)]],
    ["\\/review src", [text("/review src")]],
    ["\\/usr/bin", [text("\\/usr/bin")]],
    ...[
      "/usr/bin/x is text",
      "/Review",
      "/a_b",
      "/-a",
      "/a-",
      "/a--b",
      "/",
      "/ a",
      " /review",
      "see /review",
      "//a",
    ].map((prompt): readonly [string, readonly InputPart[]] => [prompt, [text(prompt)]]),
    ["/review.", [text("/review.")]],
    ["/größe", [text("/größe")]],
  ];
  for (const [prompt, parts] of table) {
    assert.deepEqual(parsePrompt(prompt), parts, prompt);
    if (!prompt.startsWith("\\/r")) assert.equal(flattenInput(parts), prompt);
  }
});

const seed = 9;
test(`what is parsed is the same text again, but for quotation marks and backslashes (seed ${seed}, 1000 runs)`, () => {
  const pieces = fc.constantFrom(
    "@",
    '"',
    "\\",
    " ",
    "\n",
    ".",
    ",",
    "(",
    ")",
    "a",
    "b/c",
    "/",
    "/a",
    "é",
    "..",
    "@x",
  );
  const bare = (text: string) => text.replace(/["\\]/g, "");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (some) => {
      const prompt = some.join("");
      const parts = parsePrompt(prompt);
      assert.equal(bare(flattenInput(parts)), bare(prompt));
      for (const [index, part] of parts.entries()) {
        if (part.type === "file_ref") assert.notEqual(part.path, "");
        else if (part.type === "skill_ref") assert.equal(index, 0);
        else assert.ok(part.text !== "" && parts[index + 1]?.type !== "text");
      }
    }),
    { seed, numRuns: 1000 },
  );
});

test(`a reference to any path without a line break is that path again (seed ${seed}, 2000 runs)`, () => {
  const pieces = fc.constantFrom(
    "@",
    '"',
    "\\",
    " ",
    "\t",
    ".",
    ",",
    "(",
    ")",
    "'",
    "a",
    "b/c",
    "é",
    "..",
    "🙂",
    ":",
  );
  const paths = fc.array(pieces, { minLength: 1, maxLength: 10 }).map((some) => some.join(""));
  const befores = fc.constantFrom("", " ", "see ", "\n");
  const afters = fc.constantFrom("", " ", " x", "\n");
  fc.assert(
    fc.property(paths, befores, afters, (path, before, after) => {
      const parts = parsePrompt(before + fileRefText(path) + after);
      assert.deepEqual(
        parts.filter(({ type }) => type === "file_ref"),
        [{ type: "file_ref", path }],
      );
      assert.equal(flattenInput(parts), before + fileRefText(path) + after);
    }),
    { seed, numRuns: 2_000 },
  );
});

test("a line of backslashes is read in no time", () => {
  const prompt = `@"${"\\".repeat(100_001)}`;
  assert.deepEqual(shown(prompt), [prompt]);
});
