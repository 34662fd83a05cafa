/** What was allowed behind the place that a session goes back to is asked again: nothing that was granted outlives the call that it was for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { driven } from "../../../../test/pod-faults/life.ts";
import { allow, Asking, deny, only, scenarioOf } from "../approval/asking.ts";

for (const answer of [allow, deny])
  test(`an approval that was answered behind the place is asked again after going back (${answer === allow ? "allowed" : "denied"} then)`, async () => {
    const m = new Asking(scenarioOf("a"));
    const { pod, run } = await m.asked();
    const before = only(pod.approvals);
    const [asked] = await m.entriesOf("approval_asked");
    assert.ok(asked !== undefined);
    await pod.answerApproval(answer(before.digest));
    assert.equal((await driven(m.host, run)).outcome.kind, "finished");
    const effects = answer === allow ? 1 : 0;
    assert.equal(m.world.effects.get("a") ?? 0, effects);

    await driven(m.host, pod.rewind({ id: `${asked.seq}`, side: "before" }));
    assert.deepEqual([pod.snapshot.state, pod.approvals], ["paused", []]);
    const resumed = pod.resume();
    await m.settled(() => pod.approvals.length > 0);
    const again = only(pod.approvals);
    assert.notEqual(again.digest, before.digest);
    assert.equal(m.world.effects.get("a") ?? 0, effects, "nothing runs on the answer of before");
    await assert.rejects(pod.answerApproval(allow(before.digest)), { code: "approval_unknown" });
    await pod.answerApproval(allow(again.digest));
    assert.equal((await driven(m.host, resumed)).outcome.kind, "finished");
    assert.equal(m.world.effects.get("a"), effects + 1);
    await driven(m.host, pod.close());
  });
