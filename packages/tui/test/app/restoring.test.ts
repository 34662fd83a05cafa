/** Whether to start a Pod again is asked only while no process hosts it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodStanding } from "../../src/host.ts";
import { pressed, row, told, withPod } from "./support/states.ts";

test("a Pod that was started from elsewhere is asked about no more, and one that stays stopped is", () => {
  const lost = told(withPod(), {
    type: "session",
    attachment: 1,
    event: { type: "ended", why: "It ended." },
  }).state;
  const listed = (standing: PodStanding, from = lost) =>
    told(from, { type: "pods", rows: [row("sim", { standing })] }).state;
  const asked = pressed(listed("stopped"), "enter").state;
  const kinds = (state: typeof asked) => state.dialogs.map(({ kind }) => kind);
  assert.deepEqual(kinds(asked), ["choice"]);
  assert.deepEqual(kinds(listed("stopped", asked)), ["choice"]);
  assert.deepEqual(kinds(listed("idle", asked)), []);
});
