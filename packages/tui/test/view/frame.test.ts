/** The frame: what goes into the scrollback when, and that nothing which is not yoi's own can look like more than text. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { noPod, approval, pressed, told, withPod } from "../app/support/states.ts";
import type { UiState } from "../../src/app/state.ts";
import type { Block } from "../../src/session/block.ts";
import { approvalRows } from "../../src/dialogs/approval-rows.ts";
import { frameOf, shownOf } from "../../src/view/frame.ts";
import { nothingPrinted, type Printed } from "../../src/view/printed.ts";

const answer = (n: number, text: string, isFinished: boolean): Block => ({
  n,
  id: `4.${n}`,
  isFinished,
  kind: "answer",
  text,
  progress: isFinished ? "whole" : "arriving",
});
const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => `Paragraph ${at}.`).join("\n\n");

/** Prints one state after the other. */
function paint(states: readonly UiState[]) {
  const printed: string[] = [];
  let so: Printed = nothingPrinted;
  let live: readonly string[] = [];
  for (const state of states) {
    const made = frameOf(state, so);
    printed.push(...made.frame.print);
    ({ live } = made.frame);
    so = made.printed;
  }
  return { printed, live, so };
}

describe("what is printed", () => {
  test("of a long answer goes there while it arrives, and the rest when it is whole", () => {
    const states = [5, 20, 40, 60].map((count) =>
      withPod({ state: "running", blocks: [answer(0, paragraphs(count), false)] }),
    );
    const arriving = paint(states);
    assert.ok(arriving.printed.includes("  Paragraph 0."), arriving.printed.join("\n"));
    assert.ok(!arriving.printed.includes("  Paragraph 59."));
    assert.ok(arriving.live.includes("  Paragraph 59."));
    assert.ok(arriving.live.length <= 23);
    const whole = paint([...states, withPod({ blocks: [answer(0, paragraphs(60), true)] })]);
    const said = whole.printed.filter((line) => line.includes("Paragraph"));
    assert.deepEqual(
      said,
      Array.from({ length: 60 }, (_, at) => `  Paragraph ${at}.`),
    );
  });

  test("of an answer that broke off with its process, nothing stands twice, and how much is on no record is said", () => {
    const cut: Block = {
      n: 0,
      id: "4.0",
      isFinished: true,
      kind: "answer",
      text: paragraphs(10),
      progress: "cut",
    };
    const { printed } = paint([
      withPod({ state: "running", blocks: [answer(0, paragraphs(60), false)] }),
      withPod({ state: "idle", blocks: [cut] }),
    ]);
    const said = printed.filter((line) => line.includes("Paragraph"));
    assert.deepEqual([new Set(said).size, said.includes("  Paragraph 9.")], [said.length, true]);
    assert.match(
      printed.at(-1) ?? "",
      /^- the answer above broke off: its last \d+ characters are not on record$/,
    );
  });

  test("of the past is what fits two screens, and a row says that there is more", () => {
    const blocks = Array.from({ length: 90 }, (_, n) => answer(n, `Paragraph ${n}.`, true));
    const row = (first: number) => {
      const { printed } = paint([withPod({ blocks, first: { segment: "s", seq: first } })]);
      assert.ok(!printed.includes("  Paragraph 0."));
      return printed.find((line) => line.includes("earlier"));
    };
    assert.match(row(0) ?? "", /^- \d+ earlier blocks: Ctrl\+O shows it all$/);
    assert.match(row(9) ?? "", /^- \d+ earlier blocks, and what was before: Ctrl\+O shows it all$/);
    const whole = paint([withPod({ blocks: blocks.slice(0, 3), first: { segment: "s", seq: 0 } })]);
    assert.doesNotMatch(whole.printed.join(), /Ctrl/);
  });

  test("of an answer that broke off and began anew is said to be on no record", () => {
    const { printed } = paint([
      withPod({ state: "running", blocks: [answer(0, paragraphs(60), false)] }),
      withPod({ state: "idle", blocks: [answer(0, "Another one.", true)] }),
    ]);
    const at = printed.findIndex((line) => line.includes("broke off, and is not on record"));
    assert.ok(at > 0);
    assert.deepEqual(printed.slice(at + 1), ["", "  Another one."]);
  });

  test("of a command that goes on waits for its end, and holds nothing back", () => {
    const command = (isFinished: boolean): Block => ({
      n: 0,
      id: "3",
      isFinished,
      kind: "command",
      command: "npm run dev",
      progress: isFinished ? "done" : "running",
      output: "",
    });
    const { printed } = paint([
      withPod({ blocks: [command(false), answer(1, "First.", true)] }),
      withPod({ blocks: [command(true), answer(1, "First.", true)] }),
    ]);
    const told = printed.filter((line) => line.includes("First.") || line.includes("npm run dev"));
    assert.deepEqual(told, ["  First.", "$ npm run dev"]);
  });

  test("of a Pod that is opened is its header and its tail, once", () => {
    const blocks = Array.from({ length: 200 }, (_, n) => answer(n, `Answer ${n}.`, true));
    const state = withPod({ blocks });
    const { printed } = paint([state, state, { ...state, notices: [] }]);
    assert.equal(printed[1], "== sim");
    assert.equal(printed.at(-1), "  Answer 199.");
    assert.equal(printed.filter((line) => line.includes("Answer 199.")).length, 1);
    assert.ok(printed.length < 110 && printed.length > 40, `${printed.length}`);
  });

  test("is nothing while the past arrives", () => {
    const { printed, live } = paint([withPod({ link: "catching_up", blocks: [answer(0, "Old.", true)] })]);
    assert.deepEqual(printed, []);
    assert.ok(live.some((line) => line.includes("Reading what sim did")));
  });
});

describe("what is asked", () => {
  const hostile = "a\u001b[2J\u001b]0;x\u0007\r> yes\u202e    b\u00a0c\u2800\u2800d\n- ? sim asks";

  test("stands behind a gutter in every row, with nothing hidden in it", () => {
    const wish = { permission: "write", target: "/x\u001b[1m  y" } as const;
    for (const args of [JSON.stringify({ command: hostile, [hostile]: 1 }), hostile, "[1]", ""]) {
      for (const columns of [12, 40, 80]) {
        const state = withPod({ approvals: [approval("d", { arguments: args, wish, reason: hostile })] });
        const [dialog] = told(state, { type: "tick" }).state.dialogs;
        const [asked] = state.open?.session.approvals ?? [];
        assert.ok(dialog?.kind === "approval" && asked !== undefined);
        for (const row of approvalRows(dialog, asked, columns)) {
          assert.match(row, /^\? /);
          // Two spaces of ours stand in front of the lines of a text.
          const text = row.replace(/^\? (?:\| )?(?: {2})?/, "");
          assert.doesNotMatch(text, /[\u0000-\u001f\u007f\u202e\u00a0\u2800]| {2}/);
        }
      }
    }
  });

  test("cannot be left by a name, a tool or a reason", () => {
    const state = told(
      withPod({
        name: hostile,
        approvals: [approval("d", { tool: hostile, reason: hostile, offers: [hostile] })],
      }),
      {
        type: "tick",
      },
    ).state;
    const shown = shownOf(state, nothingPrinted);
    assert.equal(shown.screen, "main");
    const lines = shown.screen === "main" ? [...shown.frame.print, ...shown.frame.live] : [];
    for (const line of lines) assert.doesNotMatch(line, /[\u0000-\u001f\u007f\u202e]/);
    assert.equal(lines.filter((line) => line.startsWith("── ?")).length, 1);
  });
});

describe("the first run", () => {
  const providers = [
    { name: "p", hint: "made at p", needsKey: true, keyIn: null, takesKey: true, models: ["p/m", "p/n"] },
    {
      name: "demo",
      hint: "offline",
      needsKey: false,
      keyIn: null,
      takesKey: false,
      models: ["scripted/demo"],
    },
    { name: "kept", hint: "", needsKey: true, keyIn: "secret kept", takesKey: true, models: ["kept/m"] },
    { name: "set", hint: "", needsKey: true, keyIn: "SET_KEY", takesKey: false, models: ["set/m"] },
  ];
  const asked = () => {
    const why = told(noPod, { type: "first_run", skills: [], why: "There is no key." });
    assert.deepEqual(why.effects, [{ type: "list_providers", for: "first_run" }]);
    return told(why.state, { type: "providers", for: "first_run", providers }).state;
  };
  const screen = (state: UiState) => frameOf(state, nothingPrinted).frame.live.join("\n");

  test("takes provider, key and model, tests it, and keeps it", () => {
    const key = pressed(asked(), "enter").state;
    const typed = told(key, { type: "input", input: { type: "paste", text: "sk-secret\n" } }).state;
    assert.doesNotMatch(screen(typed), /sk-secret/);
    const models = pressed(typed, "enter");
    assert.deepEqual(models.effects, [], "nothing is kept before a model has answered");
    const tested = pressed(models.state, '"n"', "enter");
    assert.deepEqual(tested.effects, [{ type: "test_model", model: "p/n", key: "sk-secret" }]);
    const said = told(tested.state, { type: "model_tested", model: "p/n", said: "Hello\u001b[2J" }).state;
    assert.match(screen(said), /p\/n answered: Hello\\u001b\[2J/);
    assert.deepEqual(pressed(said, "enter").effects, [
      { type: "keep_model", model: "p/n", provider: "p", key: "sk-secret" },
    ]);
    const end = told(pressed(said, "enter").state, { type: "model_kept", model: "p/n", file: "/c" }).state;
    assert.deepEqual(end.dialogs, []);
  });

  test("has the demo, which needs neither", () => {
    assert.deepEqual(pressed(asked(), "down", "enter").effects, [
      { type: "test_model", model: "scripted/demo", key: null },
    ]);
  });

  const refused = (state: UiState, model: string, key: string | null) =>
    told(state, { type: "failed", effect: { type: "test_model", model, key }, why: "Refused (401)." }).state;

  test("a key that is refused comes back to be changed, and is kept only when another one answers", () => {
    const key = pressed(asked(), "enter", '"sk-wrong"', "enter", "enter");
    assert.deepEqual(key.effects, [{ type: "test_model", model: "p/m", key: "sk-wrong" }]);
    const back = refused(key.state, "p/m", "sk-wrong");
    assert.match(screen(back), /Refused \(401\)\./);
    assert.match(screen(back), /Key: /);
    assert.doesNotMatch(screen(back), /There is no key|sk-wrong/);
    const again = pressed(back, "ctrl+u", '"sk-right"', "enter", "enter");
    assert.deepEqual(again.effects, [{ type: "test_model", model: "p/m", key: "sk-right" }]);
  });

  test("a key that is there is used, or another one is given", () => {
    const there = pressed(asked(), "down", "down", "enter").state;
    assert.match(screen(there), /the key in secret kept/);
    const used = pressed(there, "enter");
    assert.deepEqual(used.effects, [{ type: "test_model", model: "kept/m", key: null }]);
    const back = refused(used.state, "kept/m", null);
    assert.match(screen(back), /Refused \(401\)\.[^]*Give another/);
    const another = pressed(back, "down", "enter", '"sk-new"', "enter");
    assert.deepEqual(another.effects, [{ type: "test_model", model: "kept/m", key: "sk-new" }]);
  });

  test("a variable's key goes before one that is kept: no other is asked for", () => {
    const there = screen(pressed(asked(), "down", "down", "down", "enter").state);
    assert.match(there, /the key in SET_KEY[^]*SET_KEY goes before a key that is kept/);
    assert.doesNotMatch(there, /Give another/);
  });

  test("says what fails, and begins again", () => {
    const testing = pressed(asked(), "down", "enter").state;
    const why = "The server refused the key.";
    const failed = told(testing, {
      type: "failed",
      effect: { type: "test_model", model: "scripted/demo", key: null },
      why,
    }).state;
    assert.match(screen(failed), /The server refused the key\./);
    assert.match(screen(failed), /Who has the model\?/);
    assert.deepEqual(pressed(testing, "escape").effects, [{ type: "stop_test" }]);
    assert.deepEqual(pressed(asked(), "escape").state.dialogs, []);
  });
});
