/** What is meant by what was sent off. */
import assert from "node:assert/strict";
import test from "node:test";
import type { InputPart } from "@yoi/base";
import {
  type Composer,
  composerOfParts,
  edit,
  emptyComposer,
  partsOf,
  textOf,
} from "../../src/composer/composer.ts";
import { kindOf, type Submission, submissionOf } from "../../src/composer/submission.ts";
import { written } from "./written.ts";

type Meant =
  | Exclude<Submission, { readonly kind: "prompt" }>
  | { readonly kind: "prompt"; readonly parts: readonly InputPart[] };

const prompt = (text: string): Meant => ({ kind: "prompt", parts: [{ type: "text", text }] });
const wrong = (sentence: string): Meant => ({ kind: "wrong", sentence });

function meant(composer: Composer, skills: readonly string[] = []): Meant {
  const submission = submissionOf(composer, skills);
  return submission.kind === "prompt" ? { kind: "prompt", parts: partsOf(submission.composer) } : submission;
}

const rows: readonly (readonly [string, Meant])[] = [
  ["", { kind: "nothing" }],
  [" \n ", { kind: "nothing" }],
  ["hello", prompt("hello")],
  [
    "see @a.ts",
    {
      kind: "prompt",
      parts: [
        { type: "text", text: "see " },
        { type: "file_ref", path: "a.ts" },
      ],
    },
  ],
  ["!ls -la", { kind: "shell", command: "ls -la" }],
  ["! cat <<E\nx\nE", { kind: "shell", command: "cat <<E\nx\nE" }],
  ["!", wrong("Behind ! stands a command for the shell: nothing was run.")],
  [" !ls", prompt(" !ls")],
  ["# use tabs", { kind: "note", message: "use tabs" }],
  ["#", wrong("Behind # stands what the model is told: nothing was sent.")],
  ["# Heading\nand text", prompt("# Heading\nand text")],
  ["/help", { kind: "command", command: { kind: "help" } }],
  [":help ", { kind: "command", command: { kind: "help" } }],
  ["?", { kind: "command", command: { kind: "help" } }],
  ["? what", prompt("? what")],
  [" /help", prompt(" /help")],
  // Paths and faces are no commands.
  ["/usr/bin/x fails", prompt("/usr/bin/x fails")],
  ["/etc/hosts", prompt("/etc/hosts")],
  [":) thanks", prompt(":) thanks")],
  [":", prompt(":")],
  ["//", prompt("//")],
  ["/", wrong("A command has a name: /help shows them all.")],
  ["/hlep", wrong("There is no /hlep: did you mean /help; a space in front makes a prompt of the line.")],
];

test("each text", () => {
  for (const [text, submission] of rows) assert.deepEqual(meant(written(text)), submission, text);
});

test("a long paste behind a sign is sent whole", () => {
  const long = "x\n".repeat(20);
  const of = (sign: string) =>
    meant(edit(edit(emptyComposer, { type: "insert", text: sign }), { type: "paste", text: long }));
  assert.deepEqual(of("!"), { kind: "shell", command: long.trim() });
  assert.deepEqual(of("#"), { kind: "note", message: long.trim() });
  assert.deepEqual(of("/btw "), { kind: "command", command: { kind: "notify", message: long.trim() } });
  assert.deepEqual(of("see "), prompt(`see ${long}`));
  // A paste alone is no more than a text, however it begins.
  const pasted = edit(emptyComposer, { type: "paste", text: `!rm x\n${long}` });
  assert.equal(kindOf(pasted), "prompt");
});

const skills = ["release", "review", "3d"];
const loads = (name: string, ...rest: readonly InputPart[]): Meant => ({
  kind: "prompt",
  parts: [{ type: "skill_ref", name }, ...rest],
});
const said = (value: string): InputPart => ({ type: "text", text: value });

test("a line that begins with a skill is a prompt that loads it", () => {
  const lines: readonly (readonly [string, Meant])[] = [
    ["/release", loads("release")],
    [":release 1.2", loads("release", said(" 1.2"))],
    ["/release see @a.ts", loads("release", said(" see "), { type: "file_ref", path: "a.ts" })],
    ["/release\nnow", loads("release", said("\nnow"))],
    ["/skill release 1.2", loads("release", said(" 1.2"))],
    ["/skill review src", loads("review", said(" src"))],
    [":SKILL review", loads("review")],
    ["/3d x", loads("3d", said(" x"))],
    // What is no name of a skill here is one where the Pod has it: it says so where it has not.
    ["/4d x", loads("4d", said(" x"))],
    [" /release", prompt(" /release")],
    ["\\/release", prompt("/release")],
    ["/skill", wrong("/skill takes something behind it: /skill NAME [TEXT].")],
    [
      "/relase",
      wrong("There is no /relase: did you mean /release; a space in front makes a prompt of the line."),
    ],
  ];
  for (const [text, wanted] of lines) assert.deepEqual(meant(written(text), skills), wanted, text);
});

test("what was meant by it is kept as it can be typed again, and means the same then", () => {
  for (const line of [
    "/release 1.2",
    ":release 1.2",
    "/skill release 1.2",
    "/skill review 1.2",
    "/skill 3d",
  ]) {
    const first = submissionOf(written(line), skills);
    assert.ok(first.kind === "prompt", line);
    assert.deepEqual(meant(first.composer, skills), meant(written(line), skills), line);
    assert.deepEqual(meant(written(textOf(first.composer)), skills), meant(written(line), skills), line);
    // As it waited, or was gone back to.
    assert.deepEqual(
      meant(composerOfParts(partsOf(first.composer)), skills),
      meant(written(line), skills),
      line,
    );
  }
});

test("a block that was pasted goes with a skill as it is, and is never the name of one", () => {
  const long = "\n/review @a.ts\n".repeat(12);
  const pasted = (typed: string, paste: string) =>
    edit(edit(emptyComposer, { type: "insert", text: typed }), { type: "paste", text: paste });
  assert.deepEqual(meant(pasted("/release", long), skills), loads("release", said(long)));
  assert.deepEqual(
    meant(pasted("/skill ", `release${long}`), skills),
    wrong("The name of a skill is typed, not pasted with what follows: nothing was sent."),
  );
});
