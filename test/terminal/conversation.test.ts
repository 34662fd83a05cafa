/** A conversation on a real terminal: typed, streamed, interrupted, taken back, queued, and the commands, files and editor of whoever types. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noTmux, Terminals } from "../support/tmux.ts";
import { type Answer, bash, entriesOf, inputsOf, podArgv, stepsOf } from "./pods.ts";

const skip = noTmux();
const lines = Array.from({ length: 60 }, (_, n) => `Line ${n} of the answer, 日本語 and 🙂.`);
const slow: Answer = { text: "So it begins, and goes on ".repeat(400), pace_ms: 20, chunk: 13 };
const steps: readonly Answer[] = [
  { text: "Hello 日本語 🙂." },
  { text: lines.join("\n\n"), pace_ms: 3, chunk: 20 },
  { attempts: [slow, { text: "After the interrupt." }] },
  { text: "One answer to that." },
  bash("sleep 1"),
  { text: "Done with that." },
  { text: "And with this." },
  { text: "Seen the file." },
  { text: "Edited." },
  { text: "Read it all." },
];

test("a conversation", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  const argv = podArgv(home, "site", steps);
  const editor = join(home.root, "editor.sh");
  writeFileSync(editor, 'printf " and what the editor added" >>"$1"', { mode: 0o700 });
  const yoi = terminals.open(argv, { env: { EDITOR: `sh ${editor}` } });
  await yoi.shows(/Ask for something/);

  await step("wide characters and emoji are typed, edited and answered", async () => {
    yoi.type("grüße 日本語X 👩‍👩‍👧🙂!");
    yoi.press("Left", "Left", "BSpace", "End");
    await yoi.shows(/^> grüße 日本語X .*🙂?!$/m);
    yoi.press("Enter");
    await yoi.shows(/Hello 日本語 🙂\./);
    await yoi.shows(/○ ready/);
    assert.deepEqual(inputsOf(home, "site"), ["grüße 日本語X 🙂!"]);
  });

  await step("an answer longer than the screen is in the scrollback, whole, once and in order", async () => {
    yoi.type("a long one");
    yoi.press("Enter");
    await yoi.shows(/Line 59 of/);
    await yoi.shows(/○ ready/);
    assert.deepEqual(yoi.all().match(/Line \d+ of .*/g), lines);
  });

  await step("Esc ends a run, and what the model said until then stays", async () => {
    yoi.type("something slow");
    yoi.press("Enter");
    await yoi.shows(/and goes on So it begins/);
    yoi.press("Escape");
    await yoi.shows(/^- the answer broke off here$[^]*! cancelled[^]*○ ready/m);
    assert.match(yoi.screen(), /^ {2}So it begins, and goes on So it/m);
    yoi.type("on with it");
    yoi.press("Enter");
    await yoi.shows(/After the interrupt\.[^]*○ ready/);
  });

  await step("Esc Esc goes back to an earlier input, which can be written otherwise", async () => {
    yoi.type("write this");
    yoi.press("Enter");
    await yoi.shows(/One answer to that\.[^]*○ ready/);
    yoi.press("Escape", "Escape");
    await yoi.shows(/^> after the answer "One answer to that\." .*just now$/m);
    yoi.press("Down", "Enter");
    await yoi.shows(/Enter goes back/);
    yoi.press("Enter");
    await yoi.shows(/^> write this$\n^○ ready/m);
    yoi.type(" otherwise");
    yoi.press("Enter");
    await yoi.shows(/^> write this otherwise$[^]*One answer to that\.[^]*○ ready/m);
  });

  await step(
    "what is sent while a run goes on waits for the next request, or for the end of the run",
    async () => {
      yoi.type("work a while");
      yoi.press("Enter");
      await yoi.shows(/sleep 1/);
      yoi.type("behind the run");
      yoi.press("M-Enter");
      await yoi.shows(/» after this run: behind the run/);
      yoi.type("with the next request");
      yoi.press("Enter");
      await yoi.shows(/» with the next request: with the next request/);
      await yoi.shows(/Done with that\.[^]*> behind the run[^]*And with this\.[^]*○ ready/);
      const said = inputsOf(home, "site");
      assert.deepEqual(said.slice(-3), ["work a while", "with the next request", "behind the run"]);
    },
  );

  await step("a command is run by the Pod, and its output is shown and on record", async () => {
    yoi.type("!echo out of the $((40 + 2)); pwd");
    yoi.press("Enter");
    await yoi.shows(/^│ out of the 42$/m);
    await yoi.shows(/○ ready/);
    const [command] = entriesOf(home, "site").filter(({ kind }) => kind === "user_command");
    assert.equal(command?.["command"], "echo out of the $((40 + 2)); pwd");
  });

  await step("@path is completed, and the file goes with the input", async () => {
    writeFileSync(join(home.workspace, "läng 日本.txt"), "what the file says\n");
    yoi.type("see @lä");
    await yoi.shows(/läng 日本\.txt/);
    yoi.press("Tab");
    await yoi.shows(/^> see @"läng 日本\.txt"$/m);
    yoi.press("Enter");
    await yoi.shows(/^# file_attachment .*läng 日本\.txt[^]*Seen the file\.[^]*○ ready/m);
  });

  await step("the editor writes on, and what it left is in the composer", async () => {
    yoi.type("typed");
    yoi.press("C-g");
    await yoi.shows(/^> typed and what the editor added$/m);
    yoi.press("Enter");
    await yoi.shows(/Edited\.[^]*○ ready/);
  });

  await step("a paste of a megabyte is a chip, and is sent whole", async () => {
    const pasted = Array.from({ length: 20_000 }, (_, n) => `${n} ${"日x".repeat(11)} the row ${n}`).join(
      "\n",
    );
    assert.ok(Buffer.byteLength(pasted) > 1_000_000);
    yoi.paste(pasted);
    await yoi.shows(/^> \[pasted #1: 20000 lines, 1\.2 MB\]$/m);
    yoi.type(" behind it");
    yoi.press("Enter");
    await yoi.shows(/Read it all\.[^]*○ ready/);
    const said = inputsOf(home, "site");
    assert.ok(said.at(-1) === `${pasted} behind it`);
  });
});
