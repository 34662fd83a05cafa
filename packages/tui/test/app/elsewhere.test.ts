/** What is meant for one Pod reaches no other one, and what comes late takes nobody's keyboard. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { textOf } from "../../src/composer/composer.ts";
import type { UiEventBody } from "../../src/app/event.ts";
import type { UiState } from "../../src/app/state.ts";
import { begin } from "../../src/app/update/begin.ts";
import { carryOut } from "../../src/app/update/intents.ts";
import { openPod } from "../../src/app/update/pods.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { noticeLines, sendingLines } from "../../src/view/notices.ts";
import { noPod, pressed, row, told, withPod } from "./support/states.ts";

const view = { columns: 160, theme: noPod.look.theme };
const said = (state: UiState) => noticeLines(state.notices, view, 10).join("\n");
const rows = (state: UiState) => sendingLines(state, view);
const sent = (effects: readonly { readonly type: string }[]) =>
  effects.flatMap((effect) =>
    "ask" in effect && typeof effect.ask === "object" ? [(effect as { ask: { kind: string } }).ask.kind] : [],
  );
const forA = { kind: "pod", name: "A", restores: true, prompt: "for A only" } as const;
const attached = (state: UiState) =>
  told(state, { type: "attached", attachment: state.open?.attachment ?? 0 });
/** The open Pod is there, and all that it did was read. */
function up(state: UiState) {
  const there = attached(state).state;
  const { open } = there;
  assert.ok(open !== null);
  const session = {
    ...updateSession(open.session, { type: "disconnected", why: "" }, 0),
    state: "idle",
  } as const;
  const isUp: UiState = { ...there, open: { ...open, session: { ...session, link: "up" } } };
  return told(isUp, { type: "attached", attachment: open.attachment });
}

describe("a prompt for a Pod that is not there yet", () => {
  const begun = begin(noPod, forA).state;

  test("goes to that one and to no other, whichever is opened first", () => {
    const other = up(openPod(begun, "B").state);
    assert.deepEqual(sent(other.effects), []);
    assert.deepEqual(rows(other.state), ["~ waits for A (Alt-Up takes it back): for A only"]);
    const own = up(openPod(other.state, "A").state);
    assert.deepEqual(sent(own.effects), ["send"]);
    assert.deepEqual(own.state.unsent, []);
  });

  test("is written again where the Pod does not come", () => {
    const failed = (state: UiState) =>
      told(state, {
        type: "failed",
        effect: { type: "restore", name: "A", how: {}, opens: true },
        why: "It cannot.",
      }).state;
    const alone = failed(begun);
    assert.deepEqual([alone.unsent, textOf(alone.composer)], [[], "for A only"]);
    const atB = failed(up(openPod(begun, "B").state).state);
    assert.deepEqual([atB.unsent, textOf(atB.composer)], [[], ""]);
    assert.equal(textOf(openPod(atB, "A").state.composer), "for A only");
    const unreached = begin(noPod, { ...forA, restores: false }).state;
    const told1 = told(unreached, {
      type: "failed",
      effect: { type: "attach", attachment: unreached.open?.attachment ?? 0, name: "A", after: null },
      why: "It cannot.",
    }).state;
    assert.deepEqual([told1.unsent, textOf(told1.composer)], [[], "for A only"]);
  });

  test("is taken back by a key", () => {
    const { state } = pressed(begun, "alt+up");
    assert.deepEqual([state.unsent, textOf(state.composer)], [[], "for A only"]);
  });

  test("of a start goes by its ticket", () => {
    const first = pressed(noPod, '"one"', "enter").state;
    const second = carryOut(openPod(first, "B").state, { type: "new_pod", choices: {} });
    const [start] = second.effects;
    assert.ok(start?.type === "start" && start.ticket !== 1);
    const other = told(second.state, { type: "started", ticket: start.ticket, name: "two", warnings: [] });
    assert.equal(other.state.open?.name, "two");
    assert.deepEqual(sent(up(other.state).effects), []);
    const own = told(up(other.state).state, { type: "started", ticket: 1, name: "own", warnings: [] }).state;
    assert.equal(own.open?.name, "two");
    assert.match(said(own), /own is up: Alt-P opens it, and what you wrote for it is sent then\./);
    assert.deepEqual(sent(up(openPod(own, "own").state).effects), ["send"]);
  });
});

describe("what comes late", () => {
  const restored: UiEventBody = { type: "restored", name: "A", opens: true, warnings: [] };
  const restoring = carryOut(withPod(), { type: "restore", name: "A", resume: false, opens: true }).state;

  test("a Pod opens by itself where nothing was typed or opened since", () => {
    assert.equal(told(restoring, restored).state.open?.name, "A");
    for (const busy of [
      pressed(restoring, '"a"').state,
      pressed(restoring, "alt+p").state,
      openPod(restoring, "B").state,
    ]) {
      const { state } = told(busy, restored);
      assert.equal(state.open?.name, busy.open?.name);
      assert.equal(textOf(state.composer), textOf(busy.composer));
      assert.match(said(state), /A is up: Alt-P opens it\./);
    }
  });

  test("a page, a list of models and one of rules open over nothing else, and not over another Pod", () => {
    for (const [command, event] of [
      ["/usage", { type: "page", page: { title: "Usage", text: "" } }],
      ["/model", { type: "providers", for: "choice", providers: [] }],
      [
        "/grants",
        { type: "grants", rows: [{ id: "g", rule: "R", workspace: null, givenMs: 1, expiresMs: null }] },
      ],
    ] as const) {
      const asked = pressed(withPod(), `"${command}"`, "enter").state;
      assert.equal(told(asked, event).state.dialogs.length, 1, command);
      for (const busy of [pressed(asked, '"a"').state, up(openPod(asked, "B").state).state]) {
        const { state } = told(busy, event);
        assert.deepEqual(state.dialogs, [], command);
        assert.match(said(state), /is there: ask for it again/);
      }
    }
  });
});

describe("what was sent and not answered", () => {
  const one = pressed(withPod(), '"one"', "enter").state;
  const lost = { kind: "not_sent", sending: 2, why: "It was lost.", isBusy: false, isKnown: false } as const;

  test("is not said to be refused, and is the same submission when it is sent again as it is", () => {
    const back = told(one, { type: "answered", attachment: 1, answer: lost }).state;
    assert.match(said(back), /Whether sim has what you sent is not known: It was lost\. Sent again as it is/);
    assert.equal(textOf(back.composer), "one");
    const again = pressed(back, "enter");
    assert.deepEqual(
      again.state.open?.sending.map(({ n }) => n),
      [2],
    );
    assert.deepEqual(again.state.unanswered, []);
    const other = pressed(back, '"!"', "enter");
    assert.deepEqual(
      other.state.open?.sending.map(({ n }) => n),
      [3],
    );
  });

  test("of a Pod that was left too", () => {
    const away = pressed({ ...one, pods: [row("sim"), row("B")] }, "alt+p", '"B"', "enter").state;
    const back = told(away, { type: "answered", attachment: 1, answer: lost }).state;
    assert.match(said(back), /Whether sim has what you sent is not known/);
    const there = up(openPod(back, "sim").state).state;
    assert.deepEqual(
      pressed(there, "enter").state.open?.sending.map(({ n }) => n),
      [2],
    );
  });

  test("stays with its Pod when another one is opened, and comes back there when that does not take it", () => {
    const pods = [row("sim"), row("other")];
    const sent = { ...pressed(withPod(), '"one"', "enter").state, pods };
    const other = pressed(sent, '"draft"', "alt+p", '"other"', "enter");
    assert.equal(other.state.open?.name, "other");
    assert.equal(textOf(other.state.composer), "");
    const refused = told(other.state, {
      type: "answered",
      attachment: 1,
      answer: { kind: "not_sent", sending: 2, why: "No.", isBusy: false, isKnown: true },
    });
    assert.equal(said(refused.state), "! sim did not take what you sent: No. It is written there again.");
    const back = pressed(refused.state, "alt+p", '"sim"', "enter");
    assert.equal(textOf(back.state.composer), "one\ndraft");
  });
});
