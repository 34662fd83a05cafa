/** What is meant by what was sent off. */
import assert from "node:assert/strict";
import test from "node:test";
import { edit, emptyComposer } from "../../src/composer/composer.ts";
import { kindOf, type Submission, submissionOf } from "../../src/composer/submission.ts";
import { written } from "./written.ts";

const prompt = (text: string): Submission => ({ kind: "prompt", parts: [{ type: "text", text }] });
const wrong = (sentence: string): Submission => ({ kind: "wrong", sentence });

const rows: readonly (readonly [string, Submission])[] = [
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
  for (const [text, submission] of rows) assert.deepEqual(submissionOf(written(text)), submission, text);
});

test("a long paste behind a sign is sent whole", () => {
  const long = "x\n".repeat(20);
  const of = (sign: string) =>
    submissionOf(edit(edit(emptyComposer, { type: "insert", text: sign }), { type: "paste", text: long }));
  assert.deepEqual(of("!"), { kind: "shell", command: long.trim() });
  assert.deepEqual(of("#"), { kind: "note", message: long.trim() });
  assert.deepEqual(of("/btw "), { kind: "command", command: { kind: "notify", message: long.trim() } });
  assert.deepEqual(of("see "), prompt(`see ${long}`));
  // A paste alone is no more than a text, however it begins.
  const pasted = edit(emptyComposer, { type: "paste", text: `!rm x\n${long}` });
  assert.equal(kindOf(pasted), "prompt");
});
