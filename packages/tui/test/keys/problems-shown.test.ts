/** What is wrong with keys is said, or where all of it is. */
import assert from "node:assert/strict";
import test from "node:test";
import { problemsShown } from "../../src/app/run.ts";
import { noticesMax } from "../../src/app/step.ts";

test("as many problems as there is room for are shown, and the last says where the others are", () => {
  const problems = Array.from({ length: noticesMax + 1 }, (_, at) => `${at}`);
  assert.deepEqual(problemsShown(problems.slice(1)), problems.slice(1));
  assert.deepEqual(problemsShown(problems), [
    "0",
    "1",
    "terminal.keys: 2 more are wrong: `yoi config check` lists them.",
  ]);
});
