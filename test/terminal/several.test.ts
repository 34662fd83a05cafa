/** Several Pods from one terminal: who waits is said, and each is a key away. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { noTmux, Terminals } from "../support/tmux.ts";
import { answer, bash, podArgv, stepsOf } from "./pods.ts";

const skip = noTmux();

test("several Pods", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  const asks = { ...bash("echo yes > answered.txt"), delay_ms: 1000 };
  // Two that write the same place could not work at once.
  const elsewhere = join(home.root, "elsewhere");
  mkdirSync(elsewhere);
  const there = { ...home, workspace: elsewhere };
  const argv = [
    ...podArgv(there, "other", [asks, { text: "The other one is done." }]),
    "--permission-mode",
    "ask",
  ];
  const other = terminals.open(argv, { cwd: elsewhere });
  await other.shows(/Ask for something/);
  const yoi = terminals.open(podArgv(home, "mine", [{ text: "This is mine." }]));
  await yoi.shows(/Ask for something/);

  await step("one that is left goes on, and who works elsewhere hears that it waits", async () => {
    other.type("go");
    other.press("Enter");
    await other.shows(/● working/);
    other.press("C-d");
    await other.holds(/Left the Pod other, which goes on: `yoi attach other` comes back\./);
    assert.equal(await other.ended(), 0);
    yoi.type("hello");
    yoi.press("Enter");
    await yoi.shows(/This is mine\.[^]*○ ready/);
    await yoi.shows(/! other waits for you: Alt-N opens it\./);
    await yoi.shows(/1 other Pod needs you/);
  });

  await step("a key opens it, and it is answered there", async () => {
    yoi.type("a draft that stays");
    yoi.press("M-n");
    await yoi.shows(/other asks: may Bash run/);
    await answer(yoi, "1");
    await yoi.shows(/The other one is done\.[^]*○ ready/);
    assert.doesNotMatch(yoi.screen(), /other waits for you/);
    assert.ok(existsSync(join(elsewhere, "answered.txt")));
  });

  await step("all of them are in a list, and another is opened from it", async () => {
    yoi.press("M-p");
    await yoi.shows(/ Pods [^]*^live$/m);
    yoi.type("mine");
    await yoi.shows(/^> mine /m);
    yoi.press("Enter");
    await yoi.shows(/^> a draft that stays$/m);
  });

  await step("the tree says what each may reach", async () => {
    yoi.press("M-t");
    await yoi.shows(/ Tree of Pods [^]*^> mine [^]*^ +writes \./m);
    yoi.press("Escape");
    await yoi.shows(/^> a draft that stays$/m);
  });

  await step("one is stopped from the list, and can be restored there", async () => {
    yoi.press("M-p");
    await yoi.shows(/ Pods [^]*^live$/m);
    yoi.type("other");
    await yoi.shows(/^> other /m);
    yoi.press("Tab");
    await yoi.shows(/Stop its process/);
    yoi.press(/(\d) Stop its process/.exec(yoi.screen())?.[1] ?? "");
    await yoi.shows(/^stopped, can be restored$[^]*^> other /m);
  });
});
