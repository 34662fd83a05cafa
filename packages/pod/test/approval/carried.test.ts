/** Which answers that are kept count on where history goes on in another segment: behind a compaction, behind a rewind, in a fork. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentId, type SegmentOrigin } from "@yoi/base";
import { replay } from "@yoi/session-store";
import { planSegment, withIds } from "../../src/history/segment-plan.ts";
import { allow, Asking, only, scenarioOf } from "./asking.ts";

test("a compaction carries them all, a rewind those from before its place, a fork none", async () => {
  const m = new Asking(scenarioOf("a"));
  const { pod, run } = await m.asked();
  const { digest } = only(pod.approvals);
  const keep = { for: "session", rule: "Effect(*)" } as const;
  const seq = await pod.answerApproval({ ...allow(digest), keep });
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  const { segment } = pod.snapshot;
  await pod.close();
  const entries = await m.entries();
  const now = replay(entries);
  const origin: SegmentOrigin = { segment_id: segment, seq: now.lastSeq, sum: "0".repeat(16) };
  const carriedFrom = (through: number, left: SegmentOrigin | null) => {
    const at = replay(entries.filter((entry) => entry.seq <= through));
    const plan = planSegment({
      segment: segmentId("019aa5c4-7d40-7c1e-9d3b-2f1f0a6b8c12"),
      from: left === null ? "forked_from" : "compacted_from",
      origin,
      left,
      at,
      now,
      items: withIds(at.items),
      started: [],
      states: {},
      projection: { prune_before: null },
      measured: null,
      inbox: [],
      behind: [],
    });
    return plan.carried.filter(({ of }) => of === "approval_answered");
  };
  const carried = { kind: "carried", of: "approval_answered", id: `${seq}`, digest, keep };
  assert.deepEqual(carriedFrom(now.lastSeq, origin), [carried]);
  assert.deepEqual(carriedFrom(seq, origin), [carried]);
  assert.deepEqual(carriedFrom(seq - 1, origin), []);
  assert.deepEqual(carriedFrom(now.lastSeq, null), []);
});
