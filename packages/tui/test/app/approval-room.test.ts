/** What is allowed was seen: all of the call, all of why it is asked about and all of a rule, on a screen of any size. An answer that is out holds nobody up. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UiState } from "../../src/app/state.ts";
import type { Effect } from "../../src/app/effect.ts";
import { frameOf } from "../../src/view/frame.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { approval, noPod, pressed, row, told, withPod } from "./support/states.ts";

const live = (state: UiState) => frameOf(state, nothingPrinted).frame.live;
const answers = (effects: readonly Effect[]) =>
  effects.flatMap((effect) =>
    effect.type === "ask" && effect.ask.kind === "answer_approval" ? [effect.ask.params] : [],
  );
const asked = (rows: number, more: Parameters<typeof approval>[1] = {}, columns = 80): UiState =>
  told(
    told(withPod({ approvals: [approval("d", more)] }, { ...noPod, size: { columns, rows } }), {
      type: "tick",
    }).state,
    {
      type: "tick",
    },
  ).state;

describe("on a screen of any height", () => {
  const command = Array.from({ length: 9 }, (_, at) => `line-${at}`);
  const reason = `why ${"and why ".repeat(30)}at last`;
  const more = { arguments: JSON.stringify({ command: command.join("\n") }), reason };
  const wanted = [...command, "at last"];

  for (let rows = 3; rows <= 30; rows += 1)
    test(`of ${rows} rows nothing is allowed before all of it was seen`, () => {
      let state = asked(rows, more, 40);
      const seen: string[] = [];
      for (let pages = 0; pages < 60; pages += 1) {
        const lines = live(state);
        assert.ok(lines.length <= Math.max(1, rows - 1));
        seen.push(...lines);
        const { effects, state: next } = pressed(state, "1");
        if (answers(effects).length > 0) break;
        const hint = live(next).at(-1);
        assert.match(live(next).join(" "), /Look at all|[Mm]ake the terminal/, hint);
        state = pressed(told(next, { type: "tick" }).state, "pagedown").state;
      }
      const isAllowed = answers(pressed(state, "1").effects).length > 0;
      assert.equal(isAllowed, rows >= 7, `${rows} rows`);
      for (const part of wanted)
        assert.equal(!isAllowed || seen.some((line) => line.includes(part)), true, part);
    });

  test("a call that is too high can be left, and denied", () => {
    const low = asked(4);
    assert.match(live(low).join(" "), /Make the terminal higher/);
    assert.deepEqual(pressed(low, "escape").state.dialogs, []);
    const { effects } = pressed(low, "3", "enter");
    assert.deepEqual(answers(effects), []);
    assert.deepEqual(answers(pressed(low, "2", "enter").effects), [{ digest: "d", answer: "deny" }]);
  });
});

describe("a rule", () => {
  const rule = `Bash(${"git ".repeat(60)}--force)`;

  for (const [key, keeps] of [
    ["2", "session"],
    ["3", "always"],
  ] as const)
    test(`for ${keeps} is shown whole behind its gutter, and looked at whole`, () => {
      const high = told(pressed(asked(24, { offers: [rule] }), key).state, { type: "tick" }).state;
      const shown = live(high).filter((line) => line.startsWith("? | "));
      const text = shown.map((line) => line.slice("? | ".length)).join(" ");
      assert.equal(text, `the rule: ${rule}`);
      assert.deepEqual(
        answers(pressed(high, "enter").effects).map((one) => "keep" in one && one.keep?.rule),
        [rule],
      );
      const low = told(pressed(asked(8, { offers: [rule] }), "pagedown", "pagedown", "pagedown", key).state, {
        type: "tick",
      }).state;
      const early = pressed(low, "enter");
      assert.deepEqual(answers(early.effects), []);
      assert.match(live(early.state).join(" "), /Look at all of it/);
      const paged = pressed(
        told(early.state, { type: "tick" }).state,
        "pagedown",
        "pagedown",
        "pagedown",
        "enter",
      );
      assert.equal(answers(paged.effects).length, 1);
    });
});

describe("an answer that is out", () => {
  const out = pressed(
    { ...asked(24), pods: [row("sim"), row("b", { approvals: 1, standing: "waiting" })] },
    "1",
  ).state;

  test("is left by Esc, and other Pods are looked at", () => {
    assert.match(live(out).join(" "), /The answer is on its way/);
    assert.deepEqual(pressed(out, "escape").state.dialogs, []);
    assert.deepEqual(
      pressed(out, "alt+p").state.dialogs.map(({ kind }) => kind),
      ["pods"],
    );
    assert.equal(pressed(out, "alt+n").state.open?.name, "b");
    assert.deepEqual(answers(pressed(out, "1", "enter", "escape").effects), []);
  });

  test("may not count when the connection is lost: it can be given again", () => {
    const { state } = told(out, {
      type: "session",
      attachment: 1,
      event: { type: "disconnected", why: "It ended." },
    });
    assert.match(live(state).join(" "), /whether the answer counts is not known/);
    assert.equal(answers(pressed(told(state, { type: "tick" }).state, "1").effects).length, 1);
  });
});
