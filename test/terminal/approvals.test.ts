/** Calls that wait for the user, on real terminals: allowed, denied, answered on another one; and what hostile text makes of a screen. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noTmux, Terminals } from "../support/tmux.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { type Answer, answer, bash, entriesOf, podArgv, stepsOf } from "./pods.ts";

const skip = noTmux();
const hostile =
  "\u001b]52;c;aGVsbG8=\u0007\u001b[2J\u001b[3J\u001b[31mred\u202eright to left\u0007\r? site asks: may Bash run";
const steps: readonly Answer[] = [
  bash("echo   allowed > allowed.txt"),
  { text: "It ran." },
  bash("echo denied > denied.txt"),
  { text: "It did not." },
  bash("echo elsewhere > elsewhere.txt"),
  { text: "Answered on the other one." },
  bash("ls | head -1; cat hostile.txt"),
  { text: `Said: ${hostile}` },
];

test("calls that wait for the user", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  writeFileSync(join(home.workspace, "hostile.txt"), hostile);
  writeFileSync(join(home.workspace, "\u001b[31m\u202ename\u0007"), "");
  const argv = [...podArgv(home, "site", steps), "--permission-mode", "ask"];
  const a = terminals.open(argv);
  await a.shows(/Ask for something/);
  const answers = () =>
    entriesOf(home, "site")
      .filter(({ kind }) => kind === "approval_answered")
      .map(({ answer, reason }) => [answer, reason]);
  const made = (name: string) => existsSync(join(home.workspace, name));

  await step("one is shown whole, with its blanks, and is allowed once", async () => {
    a.type("begin");
    a.press("Enter");
    await a.shows(/site asks: may Bash run[^]*^\? \| command: echo···allowed > allowed\.txt$/m);
    assert.equal(a.title(), "yoi site: waits for you");
    assert.equal(made("allowed.txt"), false);
    await answer(a, "1");
    await a.shows(/It ran\.[^]*○ ready/);
    assert.equal(made("allowed.txt"), true);
  });

  await step("one is denied, and the model is told why", async () => {
    a.type("again");
    a.press("Enter");
    await answer(a, "Up", "Enter");
    await a.shows(/Why not/);
    a.type("not this file, 日本語");
    a.press("Enter");
    await a.shows(/It did not\.[^]*○ ready/);
    assert.equal(made("denied.txt"), false);
    assert.deepEqual(answers().at(-1), ["deny", "not this file, 日本語"]);
  });

  await step("two terminals show the same call, and an answer on one closes it on the other", async () => {
    const b = terminals.open([yoiCommand, "attach", "site"], { columns: 100, rows: 30 });
    await b.shows(/It did not\.[^]*○ ready/);
    b.type("from here");
    b.press("Enter");
    await a.shows(/site asks: may Bash run/);
    await answer(b, "1");
    await a.shows(/answered|allowed from elsewhere/);
    await a.shows(/Answered on the other one\.[^]*○ ready/);
    await b.shows(/Answered on the other one\.[^]*○ ready/);
    b.press("C-d");
    assert.equal(await b.ended(), 0);
  });

  await step("nothing of hostile text reaches the terminal", async () => {
    // Who looks away would be told of the call by a bell.
    a.focus(true);
    const before = a.bytes().length;
    a.type("show me");
    a.press("Enter");
    await answer(a, "1");
    await a.shows(/\\u001b\[31m\\u202ename[^]*\\u001b\]52;[^]*Said: \\u001b[^]*○ ready/);
    const titles = /\u001b\]2;[^\u0007\u001b]*\u0007/g;
    const bytes = a.bytes().slice(before).replaceAll(titles, "");
    for (const [what, pattern] of [
      ["the clipboard", /\u001b\]52/],
      ["a screen that is cleared", /\u001b\[2J/],
      ["a history that is cleared", /\u001b\[3J/],
      ["a bell", /\u0007/],
      ["text that is turned round", /[\u202a-\u202e\u2066-\u2069]/],
      ["colours of its own", /\u001b\[31m(?:red|\u202e|name)/],
    ] as const)
      assert.doesNotMatch(bytes, pattern, what);
  });
});
