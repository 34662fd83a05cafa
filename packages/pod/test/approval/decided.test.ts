/** A call that waits for its answer, before a log that the test changes meanwhile: what was asked has to be what the log says, and nothing waits on. */
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { callId, podName, segmentId } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import type { CallView } from "@yoi/worker";
import { approvalCheckMs, approvalMs, Approvals } from "../../src/approval/approvals.ts";
import { nothingKept } from "./nothing-kept.ts";
import { approvalDigest } from "../../src/approval/digest.ts";
import type { HistoryGate } from "../../src/history/gate.ts";

const pod = podName("p");
const segment = segmentId("0198c0de-0000-7000-8000-000000000002");
const call = callId(1, 0);
const digestOf = (what: string): string =>
  approvalDigest({ pod, segment, call, tool: "Effect", arguments: { what } });

/** A call that waits; `turn` changes what the log says of it, and the next look finds that. */
function waiting() {
  const host = memoryHost({ seed: 1 });
  const made = { call, name: "Effect", arguments: '{"what":"a"}', started: false };
  const asked = { call, digest: digestOf("a"), reason: "r", expires: host.clock.now() + approvalMs };
  const state = {
    segment,
    unanswered: [made],
    approvals: [{ seq: 1, answer: null as object | null, offers: [], wish: null, ...asked }],
  };
  const gate = { state, append: () => assert.fail("nothing is put on record") };
  const approvals = new Approvals({
    pod,
    gate: gate as unknown as Pick<HistoryGate, "append" | "state">,
    canAsk: true,
    asking: nothingKept,
    clock: host.clock,
    timers: host.timers,
  });
  const stop = new AbortController();
  const view = { call, name: "Effect", args: { what: "a" } } as unknown as CallView;
  const decided = approvals.decided(view, asked, stop.signal);
  return { host, state, stop, decided };
}

const changed = "Refused: what was asked is not what the log says of this call. Nothing was done.";

for (const [what, turn] of [
  [
    "another approval of the call is asked",
    ({ approvals: [open] }) => Object.assign(open ?? {}, { digest: digestOf("b") }),
  ],
  [
    "another approval is asked of another call in its place",
    ({ approvals: [open], unanswered: [made] }) => {
      Object.assign(open ?? {}, { digest: digestOf("b") });
      Object.assign(made ?? {}, { arguments: '{"what":"b"}' });
    },
  ],
  ["the approval is gone", ({ approvals }) => approvals.splice(0)],
  [
    "the call has other arguments",
    ({ unanswered: [made] }) => Object.assign(made ?? {}, { arguments: '{"what":"b"}' }),
  ],
  ["the call is another tool's", ({ unanswered: [made] }) => Object.assign(made ?? {}, { name: "Other" })],
  ["the call is over", ({ unanswered }) => unanswered.splice(0)],
] as [string, (state: ReturnType<typeof waiting>["state"]) => unknown][]) {
  test(`refused when ${what}, allowed or not`, async () => {
    for (const answer of [null, { seq: 2, answer: "allow", reason: null }]) {
      const { host, state, stop, decided } = waiting();
      turn(state);
      for (const open of state.approvals) open.answer = answer;
      await host.advance(approvalCheckMs);
      assert.deepEqual(await decided, { action: "deny", reason: changed, refusal: "denied" });
      assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
    }
  });
}

test("allowed when all is as it was asked, after however many looks; nothing listens any more then (control)", async () => {
  const { host, state, stop, decided } = waiting();
  for (let look = 0; look < 20; look += 1) {
    await host.advance(approvalCheckMs);
    assert.equal(getEventListeners(stop.signal, "abort").length, 1, "one waits");
  }
  for (const open of state.approvals) open.answer = { seq: 2, answer: "allow", reason: null };
  await host.advance(approvalCheckMs);
  assert.deepEqual(await decided, { action: "allow" });
  assert.deepEqual(getEventListeners(stop.signal, "abort"), []);
});
