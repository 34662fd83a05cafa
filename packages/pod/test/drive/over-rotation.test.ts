/** What is known of a run outlives the segment that it began in; so does what its tools and its user are asked. */
import assert from "node:assert/strict";
import test from "node:test";
import { callId, type EntryBody, noCost, segmentId } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { begun, rotate } from "../../../../test/segments/rotating.ts";
import { driven } from "../../../../test/pod-faults/life.ts";
import { simulatedPod } from "../../../../test/support/simulated-pod.ts";
import { Approvals, approvalMs } from "../../src/approval/approvals.ts";
import { approvalDigest } from "../../src/approval/digest.ts";
import { RunAccount } from "../../src/drive/run-report.ts";
import { planSegment } from "../../src/history/segment-plan.ts";
import { nothingKept } from "../approval/nothing-kept.ts";

type Parts = Awaited<ReturnType<typeof begun>>;

/** A call, and its refusal because nobody could be asked. */
function refused({ gate }: Parts, what: string): readonly EntryBody[] {
  const call = callId(gate.lastSeq + 1, 0, gate.generation);
  const item = { type: "tool_call", call, name: "Effect", arguments: JSON.stringify({ what }) } as const;
  return [
    { kind: "assistant_item", request: gate.lastSeq + 1, index: 0, item },
    {
      kind: "tool_result",
      item: { type: "tool_result", call, name: "Effect", summary: "ask", is_error: true, refusal: "asked" },
    },
    { kind: "turn_end", turn_count: gate.turnCount + 1 },
  ];
}

/** History goes on without an item of before. */
const forget = ({ rotator }: Parts, ids: ReturnType<typeof memoryHost>["ids"]) =>
  rotator.rotate(({ ref, head, state }) => {
    const origin = { segment_id: ref.segment, seq: head.seq, sum: head.sum };
    return planSegment({
      segment: segmentId(ids.uuidV7()),
      from: "compacted_from",
      origin,
      left: origin,
      at: state,
      now: state,
      items: [],
      started: [],
      states: {},
      projection: { prune_before: null },
      measured: null,
      inbox: [],
      behind: [],
    });
  });

test("a run that a rotation falls into is reported whole: turns, refusals of before and behind, and how it ended", async () => {
  const host = memoryHost({ seed: 2 });
  const parts = await begun(host);
  const { gate } = parts;
  const account = new RunAccount(gate, "input");
  await gate.append([
    { kind: "invoke", trigger: "user_send" },
    { kind: "user_input", parts: [{ type: "text", text: "again" }] },
    ...refused(parts, "before"),
  ]);
  await forget(parts, host.ids);
  assert.deepEqual([gate.items, gate.generation], [[], 1]);
  await gate.append([{ kind: "invoke", trigger: "resume" }]);
  await gate.append(refused(parts, "behind"));
  account.end({ kind: "finished", text: "so" });
  const report = account.report(null);
  assert.deepEqual(
    { ...report, usage: null, denials: report.denials.map(({ target, kind }) => `${target} ${kind}`) },
    {
      outcome: { kind: "finished", text: "so" },
      followed: [],
      accepted: true,
      turns: 2,
      usage: null,
      cost: noCost,
      denials: ['{"what":"before"} asked', '{"what":"behind"} asked'],
      permissionNeeded: true,
    },
  );
  assert.equal(report.usage.input_tokens, 0);
  account.close();
  await gate.append(refused(parts, "behind its end"));
  assert.equal(account.report(null).denials.length, 2);
});

test("an approval is of the segment in which it was asked: an answer of before does not count, and what expired is asked anew", async () => {
  const host = memoryHost({ seed: 3 });
  const parts = await begun(host);
  const { gate } = parts;
  const pod = simulatedPod;
  const call = callId(gate.lastSeq + 1, 0);
  const name = "Effect";
  const args = { what: "x" };
  const asked = (): EntryBody & { readonly kind: "approval_asked" } => ({
    kind: "approval_asked",
    call,
    digest: approvalDigest({ pod, segment: gate.ref.segment, call, tool: name, arguments: args }),
    reason: "why",
    expires: host.clock.now() + approvalMs,
  });
  const item = { type: "tool_call", call, name, arguments: JSON.stringify(args) } as const;
  const before = asked();
  await gate.append([{ kind: "assistant_item", request: gate.lastSeq + 1, index: 0, item }, before]);
  const approvals = new Approvals({
    pod,
    gate,
    canAsk: true,
    asking: nothingKept,
    clock: host.clock,
    timers: host.timers,
  });
  assert.deepEqual(
    approvals.pending.map(({ digest }) => digest),
    [before.digest],
  );
  // The call of before is told that its time is over.
  await host.advance(approvalMs);
  const view = { call, name, args, readOnly: false };
  const signal = new AbortController().signal;
  const over = await approvals.decided(view, before, signal);
  assert.equal(over.action, "deny");

  await driven(host, rotate(parts, host));
  assert.deepEqual(approvals.pending, []);
  await assert.rejects(approvals.answer({ digest: before.digest, answer: "allow", reason: null }), {
    code: "approval_unknown",
    message: /from before the session went on in another segment, where the call is asked about anew/,
  });
  const anew = asked();
  assert.notEqual(anew.digest, before.digest);
  await gate.append([anew]);
  assert.deepEqual(
    approvals.pending.map(({ digest }) => digest),
    [anew.digest],
  );
  await approvals.answer({ digest: anew.digest, answer: "allow", reason: null });
  assert.equal(gate.approvals[0]?.answer?.answer, "allow");
});

test("what comes in while history moves waits, and is in the new segment once; so are the places that it takes", async () => {
  const host = memoryHost({ seed: 4 });
  const { gate, inbox, ...parts } = await begun(host);
  const waiting = inbox.waiting;
  const rotating = rotate({ gate, inbox, ...parts }, host);
  const accepted = inbox.accept({ source: "test", message: "Meanwhile.", submission: "n-3" });
  assert.equal(inbox.waiting, waiting + 1);
  await driven(host, rotating);
  const { id } = await accepted;
  assert.deepEqual(
    [id.startsWith("1-"), inbox.waiting, gate.state.inbox.length],
    [true, waiting + 1, waiting + 1],
  );
  const again = await inbox.accept({ source: "test", message: "Meanwhile.", submission: "n-3" });
  assert.deepEqual(again, { duplicate: true, id });
});
