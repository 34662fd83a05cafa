/** Whether what is queued waits for the user: the fold says it as the Pod does, behind every way in which a run ends and another begins. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryBody } from "@yoi/base";
import { emptySession } from "../../src/session/empty-session.ts";
import type { PodSession } from "../../src/session/session.ts";
import { updateSession } from "../../src/session/update-session.ts";
import { LogRig, name } from "./support/log-rig.ts";
import { folded, now } from "./support/shown.ts";

const parts = [{ type: "text", text: "later" }] as const;
const queued = (submission: string): EntryBody => ({
  kind: "input_queued",
  parts,
  when: "run_end",
  submission,
});
const errored: EntryBody = { kind: "run_errored", code: "internal", message: "m" };
const ended = (result: "finished" | "limit_reached" | "cancelled" | "aborted"): EntryBody => ({
  kind: "run_completed",
  result,
});
const begun = (trigger: "user_send" | "resume" | "notify"): EntryBody => ({ kind: "invoke", trigger });
const goesOn: EntryBody = { kind: "invoke", trigger: "resume", by: "pod" };

/** Behind a run that begins with the entry 3, and an input that was queued while it goes on, as the entry 4. */
const table: readonly (readonly [what: string, bodies: readonly EntryBody[], isHeld: boolean])[] = [
  ["a run goes on", [], false],
  ["it finished", [ended("finished")], false],
  ["it reached a limit", [ended("limit_reached")], true],
  ["it was cancelled", [ended("cancelled")], true],
  ["it was aborted", [ended("aborted")], true],
  ["it failed", [errored], true],
  ["it was rolled back", [{ kind: "turn_rolled_back", from_seq: 3 }], true],
  ["it is paused", [{ kind: "run_paused", reason: "user" }], false],
  ["the user says more", [errored, queued("b")], false],
  ["the user goes on", [errored, begun("resume")], false],
  ["the user sends something", [errored, begun("user_send")], false],
  ["a notice begins a run", [errored, begun("notify")], true],
  ["the Pod goes on by itself with that run", [errored, begun("notify"), goesOn], true],
  ["the Pod goes on by itself with a run of the user", [goesOn], false],
  ["another process opened the Pod", [{ kind: "opened", epoch: 2, version: "1" }], true],
  ["it is taken back", [errored, { kind: "input_unqueued", queued: 4 }], false],
  ["it fails with nothing queued, and more comes", [{ kind: "input_unqueued", queued: 4 }, errored], false],
];

for (const [what, bodies, isHeld] of table)
  test(`what is queued is ${isHeld ? "" : "not "}held where ${what}`, () => {
    const rig = new LogRig();
    let live: PodSession = folded(rig.attach(), emptySession(name));
    rig.follow({ tell: (event) => (live = updateSession(live, event, now)) });
    for (const body of [begun("user_send"), queued("a"), ...bodies]) rig.commit([body]);
    const fresh = folded(rig.attach(), emptySession(name));
    assert.deepEqual(
      [live.queueHeld, fresh.queueHeld, rig.view.queue_held],
      [isHeld, isHeld, isHeld || undefined],
    );
    assert.deepEqual(live.queue, rig.view.queue ?? []);
  });
