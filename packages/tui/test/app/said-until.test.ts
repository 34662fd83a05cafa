/** Notices that are true for a time only: they go when they are true no longer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Effect } from "../../src/app/effect.ts";
import type { UiState } from "../../src/app/state.ts";
import { LogRig } from "../session/support/log-rig.ts";
import { carryOut } from "../../src/app/update/intents.ts";
import { row, told, withPod } from "./support/states.ts";

const notes = (state: UiState) => state.notices.map(({ text }) => text);

test("that the Pod's process has ended, until it is there again", () => {
  const lost = told(withPod(), {
    type: "session",
    attachment: 1,
    event: { type: "disconnected", why: "It ended the connection." },
  }).state;
  const gone = told(lost, { type: "pods", rows: [row("sim", { standing: "stopped" })] }).state;
  assert.deepEqual(notes(gone), ["The process of sim has ended: Enter restores it."]);
  const effects: Effect[] = [];
  const back = new LogRig().attach().reduce((state, event) => {
    const next = told(state, { type: "session", attachment: 1, event }, gone.now);
    effects.push(...next.effects);
    return next.state;
  }, gone);
  assert.equal(back.open?.session.link, "up");
  assert.deepEqual(notes(back), []);
  // The list says still that it has ended.
  assert.deepEqual(effects, [{ type: "list_pods" }]);
});

test("that another Pod waits, until it is answered or opened", () => {
  const quiet = told(withPod(), { type: "pods", rows: [row("a"), row("b")] }).state;
  const waiting = { approvals: 1, standing: "waiting" } as const;
  const both = told(quiet, { type: "pods", rows: [row("a", waiting), row("b", waiting)] }).state;
  assert.deepEqual(notes(both), ["a waits for you: Alt-N opens it.", "b waits for you: Alt-N opens it."]);
  const one = told(both, { type: "pods", rows: [row("a"), row("b", waiting)] }).state;
  assert.deepEqual(notes(one), ["b waits for you: Alt-N opens it."]);
  const next = { type: "input", input: { type: "key", key: "alt+n", text: null } } as const;
  const opened = told(one, next).state;
  assert.equal(opened.open?.name, "b");
  assert.deepEqual(notes(opened), []);
});

test("that a Pod is being started, until it is up", () => {
  const rows = [row("sim"), row("old", { standing: "stopped" })];
  const starts = carryOut(
    { ...withPod(), pods: rows },
    { type: "restore", name: "old", resume: false, opens: true },
  );
  assert.deepEqual(notes(starts.state), ["Starting old ..."]);
  const up = told(starts.state, { type: "restored", name: "old", opens: true, warnings: [] }).state;
  assert.deepEqual([up.open?.name, notes(up)], ["old", []]);
});
