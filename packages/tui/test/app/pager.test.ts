/** The pager: it moves, searches, and reads what is older when its beginning is reached. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEntry } from "@yoi/base";
import type { Effect } from "../../src/app/effect.ts";
import type { UiState } from "../../src/app/state.ts";
import { soughtEntriesMax } from "../../src/app/update/pager.ts";
import type { Block } from "../../src/session/block.ts";
import { shownOf } from "../../src/view/frame.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { pressed, told, withPod } from "./support/states.ts";

const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
const page = told(pressed(withPod(), '"/usage"', "enter").state, {
  type: "page",
  page: { title: "Usage", text },
}).state;
function rows(state: UiState): readonly string[] {
  const shown = shownOf(state, nothingPrinted);
  assert.equal(shown.screen, "alternate");
  return shown.screen === "alternate" ? shown.lines : [];
}
const first = (state: UiState): string | undefined => rows(state)[1];

const note = (n: number): Block => ({
  n,
  id: `${n + 50}`,
  isFinished: true,
  kind: "note",
  level: "info",
  text: `note ${n}`,
});

describe("a page", () => {
  const table: readonly (readonly [readonly string[], string])[] = [
    [[], "line 0"],
    [["down", "j"], "line 2"],
    [["down", "up", "up"], "line 0"],
    [["pagedown"], "line 19"],
    [["end"], "line 80"],
    [["G", "k"], "line 79"],
    [["end", "pagedown"], "line 80"],
    [["end", "g"], "line 0"],
    [["/", '"line 42"', "enter"], "line 42"],
    [["/", '"E 7"', "enter", "n"], "line 70"],
    [["/", '"line 9"', "enter", "n", "n"], "line 80"],
    [["end", "/", '"line 3"', "enter"], "line 3"],
    [["/", '"nothing"', "enter"], "line 0"],
    [["/", '"line 42"', "escape"], "line 0"],
  ];
  for (const [keys, expected] of table) {
    test(`${keys.join(" ")} is at ${expected}`, () => {
      const { state } = pressed(page, ...keys);
      assert.equal(first(state), expected);
      assert.equal(rows(state).length, 24);
    });
  }

  test("says what is not found, and is left by q and by Esc", () => {
    assert.match(rows(pressed(page, "/", '"nothing"', "enter").state).join("\n"), /"nothing" is not found/);
    for (const key of ["q", "escape"]) assert.deepEqual(pressed(page, key).state.dialogs, []);
  });
});

describe("the transcript", () => {
  const blocks = Array.from({ length: 30 }, (_, n) => note(n));
  const open = (): UiState => withPod({ blocks, first: { segment: "s", seq: 50 } });
  const asks = (seq: number, count: number): Effect => ({
    type: "older",
    name: "sim",
    place: { segment: "s", seq },
    count,
  });
  const placed = (at: number) => {
    // SAFETY: an entry of a log, as its reader gives it.
    const entry = {
      kind: "user_input",
      parts: [{ type: "text", text: `older ${at}` }],
      seq: at,
      batch: at,
      ts: 1,
    } as LogEntry;
    return { at: { segment: "s", seq: at }, entry };
  };
  const older = Array.from({ length: 40 }, (_, at) => placed(at));

  test("begins at the end, and stays there while more comes", () => {
    const { state } = pressed(open(), "ctrl+o");
    assert.match(rows(state).join("\n"), /note 29/);
    const { open: pod } = state;
    const more = {
      ...state,
      open: pod === null ? null : { ...pod, session: { ...pod.session, blocks: [...blocks, note(30)] } },
    };
    assert.match(rows(more).join("\n"), /note 30/);
  });

  test("reads what is older once at its beginning, and what is seen stays where it is", () => {
    const at = pressed(open(), "ctrl+o", "pageup", "pageup", "pageup", "pageup", "pageup");
    assert.deepEqual(at.effects, [asks(50, 400)]);
    assert.deepEqual(pressed(at.state, "up").effects, []);
    assert.match(rows(at.state).join("\n"), /Older entries are being read/);
    const before = rows(at.state)
      .slice(1, 20)
      .filter((line) => line.includes("note"));
    const came = told(at.state, { type: "older", name: "sim", entries: older }).state;
    assert.deepEqual(
      rows(came)
        .slice(1, 20)
        .filter((line) => line.includes("note"))
        .slice(0, 5),
      before.slice(0, 5),
    );
    const top = pressed(came, "home");
    assert.match(rows(top.state).join("\n"), /older 0/);
    assert.deepEqual(top.effects, [asks(0, 2_000)]);
    const all = told(top.state, { type: "older", name: "sim", entries: [] }).state;
    assert.deepEqual(pressed(all, "up").effects, []);
    assert.match(rows(all).join("\n"), /This is the beginning/);
  });

  test("reads on to the beginning, at most so many entries, and not when something else is pressed", () => {
    const at = pressed(open(), "ctrl+o", "g");
    assert.deepEqual(at.effects, [asks(50, 2_000)]);
    const on = told(at.state, { type: "older", name: "sim", entries: older });
    assert.deepEqual(on.effects, [asks(0, 2_000)]);
    assert.match(rows(on.state).join("\n"), /older 0/);
    const elsewhere = pressed(at.state, "end").state;
    assert.deepEqual(told(elsewhere, { type: "older", name: "sim", entries: older }).effects, []);
    const many = Array.from({ length: soughtEntriesMax }, (_, n) => ({ ...placed(0), n }));
    for (const [count, asked] of [
      [soughtEntriesMax - 1, 1],
      [soughtEntriesMax, 0],
    ] as const) {
      const { effects } = told(at.state, { type: "older", name: "sim", entries: many.slice(0, count) });
      assert.equal(effects.length, asked, `${count}`);
    }
  });

  test("searches what is older until it finds it, or nothing is left", () => {
    const at = pressed(open(), "ctrl+o", "/", '"older 7"', "enter");
    assert.deepEqual(at.effects, [asks(50, 2_000)]);
    const found = told(at.state, { type: "older", name: "sim", entries: older });
    assert.deepEqual(found.effects, []);
    assert.match(rows(found.state)[1] ?? "", /older 7/);
    const missing = pressed(open(), "ctrl+o", "/", '"nowhere"', "enter");
    const on = told(missing.state, { type: "older", name: "sim", entries: older });
    assert.deepEqual(on.effects, [asks(0, 2_000)]);
    const over = told(on.state, { type: "older", name: "sim", entries: [] });
    assert.deepEqual(over.effects, []);
    assert.match(rows(over.state).join("\n"), /"nowhere" is not found/);
  });
});
