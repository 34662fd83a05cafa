/** What stands below the conversation: the line above the composer, panels, and the keys that a question mark shows. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UiState } from "../../src/app/state.ts";
import { textOf } from "../../src/composer/composer.ts";
import { keyMapOf } from "../../src/keys/key-map.ts";
import { ruleScreenRowsMin, shownOf } from "../../src/view/frame.ts";
import { shortHelpLines } from "../../src/view/help.ts";
import { panelLines } from "../../src/view/panel.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { themeNamed } from "../../src/view/themes.ts";
import { widthOf } from "../../src/view/width.ts";
import { approval, noPod, pressed, told, withPod } from "../app/support/states.ts";

function liveOf(state: UiState): readonly string[] {
  const shown = shownOf(state, nothingPrinted);
  assert.equal(shown.screen, "main");
  return shown.screen === "main" ? shown.frame.live : [];
}

const sized = (rows: number, columns = 80) => withPod({}, { ...noPod, size: { columns, rows } });
const rule = "─".repeat(80);
const options = { columns: 100, theme: themeNamed("none") };

describe("the line above the composer", () => {
  test("is there from the least height on, as wide as the screen, and the composer is right below it", () => {
    const lines = liveOf(sized(ruleScreenRowsMin));
    assert.match(lines[lines.indexOf(rule) + 1] ?? "", /^> /);
    assert.equal(liveOf(sized(ruleScreenRowsMin - 1)).includes(rule), false);
  });

  test("makes room for the title of a dialog", () => {
    const asked = told(withPod({ approvals: [approval("d")] }), { type: "tick" }).state;
    assert.equal(liveOf(asked).includes(rule), false);
    assert.ok(liveOf(asked).some((line) => line.startsWith("── ? sim asks")));
  });
});

describe("a question mark on an empty composer", () => {
  test("is typed, and shows the keys at once below it", () => {
    const asks = pressed(sized(24), "?").state;
    assert.equal(textOf(asks.composer), "?");
    const lines = liveOf(asks);
    const at = lines.findIndex((line) => line.endsWith(" ?"));
    assert.match(lines[at + 1] ?? "", /^Enter +send/);
    assert.ok(lines.some((line) => line.includes("F1") && line.includes("keys and commands")));
  });

  test("stays what it is in what is typed on, and the keys are gone", () => {
    for (const [keys, text] of [
      [['"? why"'], "? why"],
      [["?", "backspace"], ""],
      [["?", "?"], "??"],
    ] as const) {
      const { state } = pressed(sized(24), ...keys);
      assert.equal(textOf(state.composer), text);
      assert.equal(
        liveOf(state).some((line) => line.includes("keys and commands")),
        false,
        text,
      );
    }
    const behind = pressed(sized(24), '"why?"').state;
    assert.equal(
      liveOf(behind).some((line) => line.includes("keys and commands")),
      false,
    );
  });

  test("leaves the composer and the status on every screen", () => {
    for (const rows of [5, 8, 12, 24, 50])
      for (const columns of [20, 40, 80, 200]) {
        const lines = liveOf(pressed(sized(rows, columns), "?").state);
        assert.ok(lines.length < rows, `${columns}x${rows}: ${lines.length}`);
        assert.ok(lines.some((line) => line.endsWith(" ?")));
        assert.match(lines.at(-1) ?? "", /ready|sim/);
        for (const line of lines) assert.ok(widthOf(line) <= columns, line);
      }
  });
});

test("keys are shown as they are bound now; what has none is left out", () => {
  const { map } = keyMapOf({ pods: ["ctrl+x"], tree: [] });
  const lines = shortHelpLines(map, 20, options).join("\n");
  assert.match(lines, /Ctrl\+X +all Pods/);
  assert.doesNotMatch(lines, /tree of Pods/);
});

test("a panel of which everything is over is its title; control: one with something left has its rows", () => {
  const panel = (mark: "todo" | "dropped") => ({
    feature: "f",
    title: "Tasks 1 of 2 done",
    rows: [
      { mark: "done", text: "one" },
      { mark, text: "two" },
    ] as const,
  });
  assert.deepEqual(panelLines([panel("dropped")], { ...options, rowsMax: 6 }), ["≡ Tasks 1 of 2 done"]);
  assert.deepEqual(panelLines([panel("todo")], { ...options, rowsMax: 6 }), [
    "≡ Tasks 1 of 2 done",
    "≡ [x] one",
    "≡ [ ] two",
  ]);
});
