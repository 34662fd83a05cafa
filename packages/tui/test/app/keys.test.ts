/** Keys in every place: what they come to, as effects and as what is seen. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Effect } from "../../src/app/effect.ts";
import type { AfterFork } from "../../src/app/intent.ts";
import type { UiState } from "../../src/app/state.ts";
import { composerOf, textOf } from "../../src/composer/composer.ts";
import { shownOf } from "../../src/view/frame.ts";
import { nothingPrinted } from "../../src/view/printed.ts";
import { approval, noPod, pressed, row, told, withPod } from "./support/states.ts";

const ask = (of: Extract<Effect, { readonly type: "ask" }>["ask"]): Effect => ({
  type: "ask",
  attachment: 1,
  ask: of,
});
const text = (said: string) => [{ type: "text" as const, text: said }];
const running = withPod({ state: "running", run: "3" });
const dialogs = (state: UiState) => state.dialogs.map(({ kind }) => kind);
const bottom = (state: UiState): string => {
  const shown = shownOf(state, nothingPrinted);
  return (shown.screen === "main" ? shown.frame.live : shown.lines).join("\n");
};
const notes = (state: UiState) => state.notices.map((notice) => notice.text);
const sends = (sending: number, what: Extract<Effect, { readonly type: "ask" }>["ask"] & { kind: "send" }) =>
  ask({ ...what, sending });

describe("what is written", () => {
  const table: readonly (readonly [string, UiState, readonly string[], readonly Effect[]])[] = [
    [
      "an input begins a run",
      withPod(),
      ['"hi"', "enter"],
      [
        { type: "add_history", text: "hi" },
        ask({ kind: "send", sending: 2, what: { as: "submit", parts: text("hi") } }),
      ],
    ],
    [
      "an input of a run waits for its next request",
      running,
      ['"hi"', "enter"],
      [
        { type: "add_history", text: "hi" },
        ask({ kind: "send", sending: 2, what: { as: "queue", parts: text("hi"), when: "boundary" } }),
      ],
    ],
    [
      "or for its end",
      running,
      ['"hi"', "alt+enter"],
      [
        { type: "add_history", text: "hi" },
        ask({ kind: "send", sending: 2, what: { as: "queue", parts: text("hi"), when: "run_end" } }),
      ],
    ],
    [
      "a command for the shell",
      withPod(),
      ['"!ls -l"', "enter"],
      [
        { type: "add_history", text: "!ls -l" },
        ask({ kind: "send", sending: 2, what: { as: "run_command", command: "ls -l" } }),
      ],
    ],
    [
      "a note",
      running,
      ['"#look out"', "enter"],
      [
        { type: "add_history", text: "#look out" },
        ask({ kind: "send", sending: 2, what: { as: "notify", message: "look out" } }),
      ],
    ],
    ["nothing goes on with a paused run", withPod({ state: "paused" }), ["enter"], [ask({ kind: "resume" })]],
    [
      "nothing goes on with what is held",
      withPod({ queue: [{ id: "7", when: "boundary", parts: [] }], queueHeld: true }),
      ["enter"],
      [ask({ kind: "resume" })],
    ],
    [
      "nothing is nothing where what is queued goes on by itself",
      withPod({ queue: [{ id: "7", when: "boundary", parts: [] }] }),
      ["enter"],
      [],
    ],
    ["nothing is nothing while a run goes on", running, ["enter"], []],
    ["Esc stops the run", running, ["escape"], [ask({ kind: "cancel" })]],
    ["Esc is nothing without one", withPod(), ["escape"], []],
    [
      "Esc twice asks for places to go back to",
      withPod(),
      ["escape", "escape"],
      [ask({ kind: "rewind_targets", olderThan: null })],
    ],
    ["Ctrl-C stops the run", running, ["ctrl+c"], [ask({ kind: "cancel" })]],
    [
      "Alt-Up takes the last one back",
      withPod({ queue: [{ id: "7", when: "boundary", parts: [] }] }),
      ["alt+up"],
      [ask({ kind: "unqueue", id: "7" })],
    ],
    [
      "a prompt without a Pod starts one",
      noPod,
      ['"hi"', "enter"],
      [
        { type: "add_history", text: "hi" },
        { type: "start", ticket: 1, name: null, choices: {} },
      ],
    ],
    [
      "a path is asked for",
      withPod(),
      ['"@a"'],
      [
        ask({ kind: "complete_path", ticket: 2, prefix: "" }),
        ask({ kind: "complete_path", ticket: 3, prefix: "a" }),
      ],
    ],
  ];
  for (const [what, state, keys, effects] of table) {
    test(what, () => assert.deepEqual(pressed(state, ...keys).effects, effects));
  }

  test("Ctrl-C clears it, and again leaves; later it does not", () => {
    const { state } = pressed(withPod(), '"draft"', "ctrl+c");
    assert.equal(textOf(state.composer), "");
    assert.deepEqual(pressed(state, "ctrl+c").state.end, { kind: "left", pod: "sim" });
    assert.equal(pressed({ ...state, now: state.now + 5_000 }, "ctrl+c").state.end, null);
  });

  test("every printable character inserts itself, with nothing written and with something", () => {
    for (const before of ["", "x"]) {
      for (let code = 0x20; code < 0x7f; code += 1) {
        const character = String.fromCharCode(code);
        const { state, effects } = pressed({ ...withPod(), composer: composerOf(before) }, character);
        assert.equal(textOf(state.composer), before + character);
        // What completes it is asked for.
        const others = effects.filter(({ type }) => type !== "ask" && type !== "list_skills");
        assert.deepEqual([state.dialogs, others], [[], []]);
      }
    }
  });

  test("comes back when it is refused, in front of what is written meanwhile, and is queued when a run began", () => {
    const sent = pressed(withPod(), '"one"', "enter").state;
    const typing = pressed(sent, '"two"').state;
    assert.deepEqual(
      typing.open?.sending.map(({ n, isOut }) => [n, isOut]),
      [[2, true]],
    );
    const refused = told(typing, {
      type: "answered",
      attachment: 1,
      answer: { kind: "not_sent", sending: 2, why: "No.", isBusy: false, isKnown: true },
    });
    assert.deepEqual(
      [textOf(refused.state.composer), notes(refused.state), refused.state.open?.sending],
      ["one\ntwo", ["No."], []],
    );
    const busy = told(typing, {
      type: "answered",
      attachment: 1,
      answer: { kind: "not_sent", sending: 2, why: "No.", isBusy: true, isKnown: true },
    });
    assert.deepEqual(busy.effects, [
      sends(2, { kind: "send", sending: 2, what: { as: "queue", parts: text("one"), when: "boundary" } }),
    ]);
    const taken = told(typing, { type: "answered", attachment: 1, answer: { kind: "sent", sending: 2 } });
    assert.deepEqual([textOf(taken.state.composer), taken.state.open?.sending], ["two", []]);
  });
});

describe("what is late", () => {
  test("of a Pod that was left changes nothing", () => {
    const state = { ...withPod(), pods: [row("sim"), row("other")] };
    const other = pressed(state, "alt+p", '"other"', "enter").state;
    const event = { type: "session", attachment: 1, event: { type: "disconnected", why: "x" } } as const;
    assert.deepEqual(told(other, event, other.now).state, other);
    assert.deepEqual(told(other, { type: "attached", attachment: 1 }).effects, [
      { type: "detach", attachment: 1 },
    ]);
  });
});

describe("a call that waits", () => {
  const offers = ["Bash(rm *)", "Bash"];
  const asked = (more = {}) =>
    told(withPod({ approvals: [approval("d1", { offers, ...more })] }), { type: "tick" }).state;
  const later = (state: UiState): UiState => told(state, { type: "tick" }).state;
  const answer = (params: object): readonly Effect[] => [
    {
      type: "ask",
      attachment: 1,
      ask: { kind: "answer_approval", params: { digest: "d1", ...params } },
    } as Effect,
  ];
  const keep = (of: object) => ({ answer: "allow", keep: of });
  const table: readonly (readonly [string, readonly string[], readonly Effect[]])[] = [
    ["1 allows it once", ["1"], answer({ answer: "allow" })],
    ["Enter takes the first", ["enter"], answer({ answer: "allow" })],
    ["3 shows the second rule once more", ["3", "later"], []],
    [
      "and Enter keeps it for the session",
      ["3", "later", "enter"],
      answer(keep({ for: "session", rule: "Bash" })),
    ],
    ["Enter right behind it does not", ["3", "enter"], []],
    [
      "Down chooses",
      ["down", "enter", "later", "enter"],
      answer(keep({ for: "session", rule: "Bash(rm *)" })),
    ],
    ["4 asks where and how long", ["4", "later"], []],
    [
      "and Enter keeps it there",
      ["4", "later", "enter"],
      answer(keep({ for: "always", rule: "Bash(rm *)" })),
    ],
    [
      "everywhere",
      ["5", "later", "down", "right", "enter"],
      answer(keep({ for: "always", rule: "Bash", everywhere: true })),
    ],
    [
      "the last number and a reason denies it",
      ["6", '"not now"', "enter"],
      answer({ answer: "deny", reason: "not now" }),
    ],
    ["or without one", ["6", "enter"], answer({ answer: "deny" })],
    ["Esc answers nothing", ["escape"], []],
    ["nor does a letter", ["x"], []],
    ["Ctrl-C answers nothing either", ["ctrl+c"], []],
    ["a number within what is typed answers nothing", ['"use 1"', "later"], []],
    ["nor does Enter, however late", ['"no, stop"', "later", "enter", "later", "enter"], []],
    ["a number behind it chooses only", ["x", "later", "3"], []],
    ["and Enter takes it then", ["x", "later", "1", "enter"], answer({ answer: "allow" })],
    ["as behind an arrow", ["x", "later", "down", "up", "enter"], answer({ answer: "allow" })],
    ["what is typed at a rule keeps it not", ["4", "later", '"hm"', "later", "enter", "later"], []],
  ];
  for (const [what, keys, effects] of table) {
    test(what, () => assert.deepEqual(pressed(later(asked()), ...keys).effects, effects));
  }

  test("for a week is until a week from now", () => {
    const at = later(asked());
    const { state, effects } = pressed(at, "4", "later", "up", "right", "right", "enter");
    assert.deepEqual(
      effects,
      answer(keep({ for: "always", rule: "Bash(rm *)", expires: state.now + 7 * 24 * 3_600_000 })),
    );
  });

  test("is not answered by what was pressed as it appeared, and typing goes on", () => {
    const early = pressed(asked(), "1");
    assert.deepEqual([early.effects, dialogs(early.state)], [[], ["approval"]]);
    const typing = { ...withPod({ approvals: [approval("d1")] }), composer: composerOf("dra") };
    const { state, effects } = pressed(told(typing, { type: "tick" }).state, '"fty1"');
    assert.deepEqual([textOf(state.composer), effects, dialogs(state)], ["drafty1", [], ["approval"]]);
  });

  test("is allowed only when all of it was looked at, and denied at any time", () => {
    const command = Array.from({ length: 60 }, (_, at) => `echo ${at}`).join("\n");
    const long = later(asked({ arguments: JSON.stringify({ command }) }));
    assert.deepEqual(pressed(long, "1").effects, []);
    assert.deepEqual(
      pressed(long, ...Array.from({ length: 12 }, () => "pagedown"), "1").effects,
      answer({ answer: "allow" }),
    );
    assert.deepEqual(pressed(long, "6", "enter").effects, answer({ answer: "deny" }));
  });

  test("that was put aside waits on, and Enter with nothing written shows it again", () => {
    const aside = pressed(later(asked()), "escape").state;
    assert.deepEqual(dialogs(aside), []);
    assert.deepEqual(dialogs(pressed(aside, "enter").state), ["approval"]);
  });

  test("is put aside with the others, and they come back one after the other", () => {
    const two = told(withPod({ approvals: [approval("d1"), approval("d2")] }), { type: "tick" }).state;
    const aside = pressed(later(two), "escape").state;
    assert.deepEqual(dialogs(aside), []);
    const shown = (state: UiState) => state.dialogs.map((one) => one.kind === "approval" && one.digest);
    assert.deepEqual(shown(pressed(aside, "alt+a").state), ["d1"]);
  });

  test("says that what is typed answers nothing, and Esc leaves it at once", () => {
    const typed = pressed(later(asked()), '"sorry"').state;
    const dialog = typed.dialogs.at(-1);
    assert.match(dialog?.kind === "approval" ? (dialog.hint ?? "") : "", /^That answers nothing\. Esc/);
    assert.deepEqual(dialogs(pressed(typed, "escape").state), []);
  });

  test("of a Pod whose process ended is not answered: the Pod is started again, or it is left", () => {
    const session = { link: "lost", why: "x", approvals: [approval("d1", { offers })] } as const;
    const rows = [row("sim", { standing: "stopped" })];
    const gone = later(told(withPod(session), { type: "pods", rows }).state);
    for (const key of ["1", "enter"]) {
      const asks = pressed(gone, key);
      assert.deepEqual([asks.effects, dialogs(asks.state)], [[], ["approval", "choice"]]);
      assert.deepEqual(pressed(asks.state, "1").effects, [
        { type: "restore", name: "sim", how: { resume: false }, opens: true },
      ]);
    }
    assert.deepEqual(pressed(gone, "2", "escape").state.dialogs, []);
    const left = pressed(gone, "escape").state;
    assert.deepEqual(dialogs(pressed(left, "enter").state), ["choice"], "Enter starts it then too");
    assert.deepEqual(dialogs(pressed(gone, "alt+p").state), ["pods"]);
    assert.match(bottom(gone), /Its process has ended/);
    assert.doesNotMatch(bottom(gone), /Allow/);
    assert.match(bottom(left), /has ended: Enter restores it/);
  });

  test("can be answered again when the Pod refused the answer", () => {
    const sent = pressed(later(asked()), "1").state;
    assert.deepEqual(pressed(sent, "1").effects, []);
    const params = { digest: "d1", answer: "allow" } as const;
    const refused = told(sent, {
      type: "answered",
      attachment: 1,
      answer: { kind: "refused", ask: { kind: "answer_approval", params }, why: "Busy." },
    });
    assert.deepEqual(pressed(refused.state, "1").effects, answer({ answer: "allow" }));
  });
});

describe("other Pods", () => {
  test("that begin to wait are said once", () => {
    const before = told(withPod(), { type: "pods", rows: [row("a")] }).state;
    const waits = told(before, { type: "pods", rows: [row("a", { approvals: 1, standing: "waiting" })] });
    assert.deepEqual(notes(waits.state), ["a waits for you: Alt-N opens it."]);
    const again = told(
      { ...waits.state, notices: [] },
      { type: "pods", rows: [row("a", { approvals: 1, standing: "waiting" })] },
    );
    assert.deepEqual(notes(again.state), []);
    assert.deepEqual(pressed(waits.state, "alt+n").effects.slice(0, 2), [
      { type: "detach", attachment: 1 },
      { type: "attach", attachment: 2, name: "a", after: null },
    ]);
  });

  test("that are stopped are asked about before they are started", () => {
    const state = { ...withPod(), pods: [row("old", { standing: "stopped" })] };
    const asked = pressed(state, "alt+p", "enter");
    assert.deepEqual(dialogs(asked.state), ["pods", "choice"]);
    assert.deepEqual(pressed(asked.state, "1").effects, [
      { type: "restore", name: "old", how: { resume: false }, opens: true },
    ]);
  });

  test("are forked so that two never write the same: read-only, in the place of the first, or only made", () => {
    const state = { ...withPod(), pods: [row("sim"), row("old", { standing: "stopped" })] };
    const live = pressed(state, '"/fork"', "enter").state;
    const made = (next: AfterFork) => told(state, { type: "forked", from: "sim", name: "f", next }).effects;
    const restore = { type: "restore", name: "f", opens: true } as const;
    const table: readonly (readonly [string, AfterFork, readonly Effect[]])[] = [
      ["1", "opens_read_only", [{ ...restore, how: { readOnly: true } }]],
      ["2", "opens_instead", [{ ...restore, how: { resume: false } }]],
      ["3", "stays", [{ type: "list_pods" }]],
    ];
    for (const [key, next, effects] of table) {
      assert.deepEqual(pressed(live, key).effects, [{ type: "fork", name: "sim", next }]);
      assert.deepEqual(made(next), effects);
    }
    // A stopped one holds nothing.
    const stopped = pressed(state, "alt+p", '"old"', "tab", "3");
    assert.deepEqual(stopped.effects.at(-1), { type: "fork", name: "old", next: "opens" });
  });

  test("whose process ended are restored by Enter, and what is written stays", () => {
    const gone = told(withPod({ link: "lost", why: "x" }), {
      type: "pods",
      rows: [row("sim", { standing: "stopped" })],
    }).state;
    const { state } = pressed(gone, '"hi"', "enter");
    assert.deepEqual([dialogs(state), textOf(state.composer)], [["choice"], "hi"]);
    assert.deepEqual(pressed(state, "1").effects, [
      { type: "restore", name: "sim", how: { resume: false }, opens: true },
    ]);
  });

  test("are told what is done with them from the list", () => {
    const state = { ...withPod(), pods: [row("a", { standing: "running" })] };
    const actions = pressed(state, "alt+p", "tab").state;
    assert.deepEqual(pressed(actions, "3").effects, [{ type: "ask_other", name: "a", ask: "pause" }]);
    assert.deepEqual(pressed(actions, "5").effects, [{ type: "stop", name: "a" }]);
    const message = pressed(actions, "2", '"hello"', "enter");
    assert.deepEqual(message.effects, [{ type: "send_other", name: "a", text: "hello" }]);
  });
});
