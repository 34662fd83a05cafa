/** The text of a SKILL.md: what comes of each kind of it, and with which sentence one is refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { skillNameCharsMax } from "@yoi/base";
import { parseSkill, type ParsedSkill } from "../../src/skills/parse-skill.ts";
import { skillDescriptionCharsMax, skillFrontBytesMax, skillLinesMax } from "../../src/skills/skill.ts";

const head = "---\nname: review\ndescription: How a review is done.\n";

/** What is said of one that is refused. */
const faultOf = (parsed: ParsedSkill) => (parsed.ok ? null : [parsed.fault.line, parsed.fault.what]);

test("what a SKILL.md says of itself, whatever its line ends are and however its values are written", () => {
  const whole = {
    ok: true,
    head: {
      name: "review",
      description: "How a review is done: always.",
      license: "MIT",
      compatibility: "needs git",
      allowed_tools: ["Read", "Bash(git add:*)", "Grep"],
      metadata: { version: "1.0", tags: ["a", "b"] },
    },
    body: "# One\n\nTwo",
    remarks: [],
  };
  const text = `---
name: "review"
description: >
  How a review
  is done: always.
license: MIT
compatibility: needs git
allowed-tools: Read, Bash(git add:*) Grep
metadata:
  version: 1.0
  tags: [a, b]
something-else: {deep: [1, 2]}
---

# One

Two

`;
  assert.deepEqual(parseSkill(text, "review"), whole);
  const crlf = { ...whole, body: "# One\r\n\r\nTwo" };
  assert.deepEqual(parseSkill(text.replaceAll("\n", "\r\n"), "review"), crlf);
  assert.deepEqual(parseSkill(`\uFEFF${text}`, "review"), whole);
  const list = text.replace("Read, Bash(git add:*) Grep", "[Read, 'Bash(git add:*)', Grep]");
  assert.deepEqual(parseSkill(list, "review"), whole);
});

test("a number, a date and a word that could be another type are texts", () => {
  const parsed = parseSkill(
    "---\nname: 3d\ndescription: yes\nlicense: 1.0\nmetadata: {on: 2026-01-01}\n---\nx",
    "3d",
  );
  assert.deepEqual(parsed.ok && parsed.head, {
    name: "3d",
    description: "yes",
    license: "1.0",
    metadata: { on: "2026-01-01" },
  });
});

test("a description is one line, however it is written", () => {
  const parsed = parseSkill(
    '---\nname: review\ndescription: "  One\\ttwo\\r\\n\n  three.\\u2028 "\n---\nx',
    "review",
  );
  assert.equal(parsed.ok && parsed.head.description, "One two three.");
});

test("what is refused, with its line", () => {
  const slug = `use lower-case letters, digits and single hyphens, at most ${skillNameCharsMax}`;
  const noFront = "it does not begin with front matter between two lines of ---";
  const table: readonly (readonly [string, string, readonly [number | null, string]])[] = [
    ["", "review", [1, noFront]],
    ["# Review\n", "review", [1, noFront]],
    [`\n${head}---\nx`, "review", [1, noFront]],
    [head, "review", [1, noFront]],
    [`${head}--- \nx`, "other", [2, 'its name is review and its folder is "other": make them the same']],
    ["---\n---\nx", "review", [2, "its front matter is no list of keys and values"]],
    ["---\n- a\n---\nx", "review", [2, "its front matter is no list of keys and values"]],
    ["---\nlicense: MIT\n---\nx", "review", [null, "its front matter has no name"]],
    ["---\nname: [a]\n---\nx", "review", [null, "its front matter has no name"]],
    ["---\n\nname: Review\n---\nx", "Review", [3, `the name "Review" is none of a skill: ${slug}`]],
    ["---\nname: a--b\n---\nx", "a--b", [2, `the name "a--b" is none of a skill: ${slug}`]],
    ["---\nname: review\n---\nx", "review", [null, "its front matter has no description"]],
    ["---\nname: review\ndescription:\n---\nx", "review", [3, "its front matter has no description"]],
    ["---\nname: review\ndescription: ['a']\n---\nx", "review", [3, "its front matter has no description"]],
    [`${head}---\n  \n`, "review", [null, "there is nothing behind its front matter"]],
    [
      "---\nname: review\ndescription: Use when: asked\n---\nx",
      "review",
      [
        3,
        'its front matter is no YAML (Nested mappings are not allowed in compact mappings): a value with ": " or "#" in it needs quotation marks',
      ],
    ],
    ["---\nname: review\nname: review\n---\nx", "review", [3, 'the key "name" stands there twice']],
    [
      "---\nname: review\n'name': release\ndescription: d\n---\nx",
      "review",
      [3, 'the key "name" stands there twice'],
    ],
    [
      `${head}metadata:\n  a: {[b]: c}\n---\nx`,
      "review",
      [5, "a key of its front matter is a list, a map or an alias: only texts are keys"],
    ],
  ];
  for (const [text, folder, expected] of table)
    assert.deepEqual(faultOf(parseSkill(text, folder)), expected, text);
});

test("limits of a name, a description and a body", () => {
  const name = "a".repeat(skillNameCharsMax);
  const named = (given: string) => parseSkill(`---\nname: ${given}\ndescription: d\n---\nx`, given);
  assert.ok(named(name).ok);
  assert.ok(!named(`${name}a`).ok);
  const described = (chars: number) =>
    parseSkill(`---\nname: review\ndescription: ${"日🙂".repeat(chars / 2)}\n---\nx`, "review");
  assert.ok(described(skillDescriptionCharsMax).ok);
  assert.deepEqual(faultOf(described(skillDescriptionCharsMax + 2)), [
    3,
    `its description has ${skillDescriptionCharsMax + 2} characters, and at most ${skillDescriptionCharsMax} can be shown to a model`,
  ]);
  const fronted = (bytes: number) => {
    const front = "name: review\ndescription: d\n# ";
    return parseSkill(`---\n${front}${"x".repeat(bytes - front.length)}\n---\nx`, "review");
  };
  assert.ok(fronted(skillFrontBytesMax).ok);
  assert.deepEqual(faultOf(fronted(skillFrontBytesMax + 1)), [
    1,
    `its front matter has ${skillFrontBytesMax + 1} bytes, and at most ${skillFrontBytesMax} are read`,
  ]);
  const long = (lines: number) => parseSkill(`${head}---\n${Array(lines).fill("x").join("\n")}\n`, "review");
  const remarks = (parsed: ParsedSkill) => (parsed.ok ? parsed.remarks : null);
  assert.deepEqual(remarks(long(skillLinesMax)), []);
  assert.deepEqual(remarks(long(skillLinesMax + 1)), [
    {
      line: null,
      what: `it has ${skillLinesMax + 1} lines, and a model reads all of them: keep it within ${skillLinesMax}`,
    },
  ]);
});

test("an alias is refused: a few lines of them would be gigabytes", () => {
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]"];
  for (const [to, from] of ["ba", "cb", "dc", "ed", "fe", "gf", "hg", "ih"])
    bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(", ")}]`);
  const parsed = parseSkill(`---\nname: review\ndescription: d\n${bomb.join("\n")}\n---\nx`, "review");
  assert.match(parsed.ok ? "" : parsed.fault.what, /^its front matter cannot be read \(.*alias/i);
});

test("front matter that nests without end is refused and not followed", () => {
  const parsed = parseSkill(`---\nname: review\nx: ${"[".repeat(15_000)}\n---\nx`, "review");
  assert.equal(parsed.ok, false);
});
