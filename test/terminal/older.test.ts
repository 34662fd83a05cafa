/** A log that is longer than what a terminal is told at first: its beginning is reached, by a key and by a search. */
import assert from "node:assert/strict";
import test from "node:test";
import { growLog } from "../../bench/grow-log.ts";
import { noTmux, Terminals } from "../support/tmux.ts";
import { yoiCommand } from "../support/yoi-process.ts";
import { podArgv, stepsOf, yoi } from "./pods.ts";

const skip = noTmux();

test("the beginning of a long conversation", { skip }, async (t) => {
  const step = stepsOf(t);
  using terminals = new Terminals();
  const { home } = terminals;
  podArgv(home, "long", [{ text: "The first answer." }]);
  await yoi(
    home,
    "run",
    "--pod",
    "long",
    "-m",
    "scripted/long.yaml",
    "--sandbox",
    "off",
    "the very first input",
  );
  await growLog(home.home, "long", 3_500);
  const a = terminals.open([yoiCommand, "--pod", "long"]);
  await a.shows(/○ ready/);

  await step("one key goes there, whatever is between", async () => {
    a.press("C-o");
    await a.shows(/Transcript of long/);
    a.press("g");
    await a.shows(/the very first input[^]*This is the beginning/);
    a.press("q");
  });

  await step("a search finds what is there", async () => {
    await a.shows(/○ ready/);
    a.press("C-o");
    await a.shows(/Transcript of long/);
    a.press("/");
    a.type("VERY FIRST");
    a.press("Enter");
    await a.shows(/the very first input/);
    a.press("q");
    await a.shows(/○ ready/);
    a.press("C-d");
    assert.equal(await a.ended(), 0);
  });
});
