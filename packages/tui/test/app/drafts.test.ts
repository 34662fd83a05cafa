/** What was written and not sent is found again: cleared, for another Pod, or when the terminal is left. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { composerOf, textOf } from "../../src/composer/composer.ts";
import { frameOf } from "../../src/view/frame.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { carryOut } from "../../src/app/update/intents.ts";
import { noPod, pressed, withPod } from "./support/states.ts";

test("a draft that is cleared is in the history, and drafts of other Pods are when the terminal is left", () => {
  const cleared = pressed(withPod(), '"one"', "ctrl+c");
  assert.deepEqual(cleared.effects, [{ type: "add_history", text: "one" }]);
  assert.equal(textOf(pressed(cleared.state, "up").state.composer), "one");
  const drafts = { other: composerOf("of other"), none: composerOf(" ") };
  const left = pressed({ ...withPod(), drafts, composer: composerOf("of sim") }, "ctrl+b");
  assert.deepEqual(left.effects, [
    { type: "add_history", text: "of other" },
    { type: "add_history", text: "of sim" },
  ]);
  assert.deepEqual(left.state.end, { kind: "left", pod: "sim" });
});

test("the name of a Pod in the title of a field is text", () => {
  const { state } = carryOut(noPod, { type: "ask_message", name: "a\u001b[2Jb" });
  const { live } = frameOf(state, nothingPrinted).frame;
  assert.ok(
    live.some((line) => line.includes("A message to a\\u001b[2Jb")),
    live.join("\n"),
  );
});
