/** Answers: each is good for one call of one Pod, once, in time, and what does not count says why. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callId, type Timers } from "@yoi/base";
import { approvalReasonCharsMax } from "@yoi/protocol";
import { segmentPath } from "@yoi/session-store";
import { dataDir, manifestOf, simulatedPod } from "../../../../test/support/simulated-pod.ts";
import { rechain } from "../../../../test/support/rechain.ts";
import { approvalCheckMs, approvalMs } from "../../src/approval/approvals.ts";
import { approvalDigest } from "../../src/approval/digest.ts";
import { openApprovals, type Pod } from "../../src/index.ts";
import { descriptorOf, moduleOf } from "../feature/features.ts";
import { allow, Asking, deny, only, type Rule, scenarioOf, settingsFile, told, wants } from "./asking.ts";

const unknown = (message: RegExp) => ({ code: "approval_unknown", message });

async function ended(m: Asking, { pod, run }: { readonly pod: Pod; readonly run: Promise<unknown> }) {
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  await pod.close();
}

test("what waits is shown whole: of which call, what will run, why, until when; several in log order, each answered by itself", async () => {
  const m = new Asking(scenarioOf("a", "b", "c"));
  const asked = await m.asked();
  const { pod } = asked;
  const entries = await m.entriesOf("approval_asked");
  assert.deepEqual(
    pod.approvals,
    entries.map(({ call, digest, ts }, index) => ({
      digest,
      call,
      tool: "Effect",
      arguments: JSON.stringify({ what: "abc"[index] }),
      reason: wants,
      expires: ts + approvalMs,
      offers: ["Effect(*)"],
    })),
  );
  assert.equal(pod.snapshot.approvals, 3);
  const [a, b, c] = pod.approvals;
  assert.ok(a && b && c);
  const seq = await pod.answerApproval(allow(b.digest));
  const [answer] = await m.entriesOf("approval_answered");
  assert.deepEqual([answer?.seq, answer?.call, answer?.answer], [seq, b.call, "allow"]);
  await m.settled(() => m.world.effects.has("b"));
  assert.deepEqual(pod.approvals, [a, c]);
  await pod.answerApproval(deny(c.digest, "  never.\nreally. "));
  await pod.answerApproval(deny(a.digest, null));
  await ended(m, asked);
  assert.deepEqual(await m.results(), [
    "denied: The user refused this call. Nothing was done.",
    "did b",
    "denied: The user refused this call: never.\\u000areally. Nothing was done.",
  ]);
  assert.deepEqual([...m.world.effects], [["b", 1]]);
});

test("two answers at once: exactly one counts, the other hears so, in either order and whatever they say", async () => {
  for (const [first, second] of [
    [allow, deny],
    [deny, allow],
    [allow, allow],
  ] as const) {
    const m = new Asking(scenarioOf("a"));
    const asked = await m.asked();
    const { digest } = only(asked.pod.approvals);
    const answers = [first, second, second].map((answer) => asked.pod.answerApproval(answer(digest)));
    const said = await Promise.allSettled(answers);
    assert.deepEqual(
      said.map(({ status }) => status),
      ["fulfilled", "rejected", "rejected"],
    );
    for (const one of said) {
      if (one.status === "rejected") assert.equal((one.reason as { code: string }).code, "approval_unknown");
    }
    await ended(m, asked);
    assert.equal((await m.entriesOf("approval_answered")).length, 1);
    assert.deepEqual(await m.results(), [first === allow ? told.ran : told.userRefused]);
  }
});

test("an answer that does not count says why, and leaves no trace", async () => {
  const m = new Asking(scenarioOf("a", "b"));
  const asked = await m.asked();
  const { pod } = asked;
  const [a, b] = pod.approvals;
  assert.ok(a && b);
  const { segment } = pod.snapshot;
  const digestOf = (changed: object) =>
    approvalDigest({
      pod: simulatedPod,
      segment,
      call: callId(6, 0),
      tool: "Effect",
      arguments: { what: "a" },
      ...changed,
    });
  assert.deepEqual([a.call, a.digest], ["6.0", digestOf({})]);
  const others = [
    { pod: "other" },
    { segment: segment.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
    { call: "6.00" },
    { tool: "Effects" },
    { arguments: { what: "A" } },
    { arguments: { what: "a", more: null } },
  ].map(digestOf);
  for (const digest of [...others, "", a.digest.toUpperCase(), a.digest.slice(1)])
    await assert.rejects(pod.answerApproval(allow(digest)), unknown(/No call of the Pod sim waits for/));
  const before = (await m.entries()).length;
  await assert.rejects(pod.answerApproval(deny(a.digest, "x".repeat(approvalReasonCharsMax + 1))), {
    code: "limit_exceeded",
  });
  assert.equal((await m.entries()).length, before);
  await pod.answerApproval(deny(a.digest, "x".repeat(approvalReasonCharsMax)));
  await assert.rejects(pod.answerApproval(allow(a.digest)), unknown(/answered already \(deny\)/));
  await m.host.advance(1);
  await assert.rejects(pod.answerApproval(allow(a.digest)), unknown(/is over: its call has its result/));
  await pod.answerApproval(allow(b.digest));
  await m.host.advance(1);
  await assert.rejects(pod.answerApproval(deny(b.digest)), unknown(/was used: its call has started/));
  await ended(m, asked);
  const again = await m.open();
  await assert.rejects(again.answerApproval(allow(b.digest)), unknown(/was used: its call has started/));
  await again.close();
});

test("after its time an answer comes too late, also to a paused Pod; what it says then is that it expired", async () => {
  const m = new Asking(scenarioOf("a"));
  const { pod, run } = await m.asked();
  const { digest } = only(pod.approvals);
  pod.pause();
  await run;
  await m.host.advance(approvalMs);
  assert.deepEqual([pod.approvals, pod.snapshot.approvals], [[], 0]);
  await assert.rejects(pod.answerApproval(allow(digest)), unknown(/expired: the call counts as refused/));
  await pod.close();
});

test("at the last millisecond an answer counts; a machine that slept through the time finds it over at the next look", async () => {
  for (const slept of [approvalMs - 1, approvalMs]) {
    const m = new Asking(scenarioOf("a"));
    let asleepMs = 0;
    const clock = { now: () => m.host.clock.now() + asleepMs, monotonic: () => m.host.clock.monotonic() };
    const asked = await m.asked({ ports: { clock } });
    const { digest, expires } = only(asked.pod.approvals);
    // The clock went on and no timer did.
    asleepMs = expires - approvalMs + slept - m.host.clock.now();
    if (slept < approvalMs) {
      assert.equal(asked.pod.approvals.length, 1);
      await asked.pod.answerApproval(allow(digest));
    } else {
      await assert.rejects(asked.pod.answerApproval(allow(digest)), unknown(/expired/));
      await m.host.advance(approvalCheckMs);
    }
    await ended(m, asked);
    assert.deepEqual(await m.results(), [slept < approvalMs ? told.ran : told.expired]);
  }
});

test("a clock that is put back does not let an answer in behind the end of its time", async () => {
  const m = new Asking(scenarioOf("a"));
  let backMs = 0;
  const clock = { now: () => m.host.clock.now() - backMs, monotonic: () => m.host.clock.monotonic() };
  const asked = await m.asked({ ports: { clock } });
  const { digest } = only(asked.pod.approvals);
  const answers: Promise<unknown>[] = [];
  // The first sync from here on is that of the refusal.
  m.host.disk.plan = () => {
    backMs = approvalMs;
    if (answers.length === 0)
      answers.push(assert.rejects(asked.pod.answerApproval(allow(digest)), unknown(/expired/)));
    return "pass";
  };
  await m.host.advance(approvalMs);
  await ended(m, asked);
  await Promise.all(answers);
  assert.equal(answers.length, 1);
  assert.deepEqual(await m.results(), [told.expired]);
});

test("one byte of the arguments changed in the log: the answer on record and later ones are for something else", async () => {
  const m = new Asking(scenarioOf("a"));
  const { pod, run } = await m.asked();
  const before = only(pod.approvals);
  pod.pause();
  await run;
  await pod.answerApproval(allow(before.digest));
  const { session, segment } = pod.snapshot;
  await pod.close();
  const path = segmentPath(dataDir, { session, segment });
  const forged = rechain(Buffer.from((await m.host.files.read(path)) ?? []), (entry) => {
    const item = entry["item"] as { type?: string; arguments?: string } | undefined;
    if (item?.type === "tool_call") item.arguments = item.arguments?.replace('"a"', '"b"') ?? "";
  });
  const { pods } = m.stores;
  const record = await pods.read(simulatedPod);
  assert.ok(record);
  await pods.update(simulatedPod, record, { closedHead: null });
  await m.host.files.replace(path, forged);
  const again = await m.open();
  assert.deepEqual(again.approvals, []);
  await assert.rejects(again.answerApproval(allow(before.digest)), unknown(/answered already/));
  const goesOn = again.resume();
  await m.settled(() => again.approvals.length > 0);
  const now = only(again.approvals);
  assert.deepEqual([now.call, now.arguments], [before.call, '{"what":"b"}']);
  assert.notEqual(now.digest, before.digest);
  assert.equal(m.world.effects.size, 0);
  await assert.rejects(again.answerApproval(allow(before.digest)), unknown(/No call of the Pod/));
  await again.answerApproval(deny(now.digest));
  await ended(m, { pod: again, run: goesOn });
  assert.deepEqual(await m.results(), [told.userRefused]);
});

test("where nobody can be asked a call is refused at once; what an owner who could ask has an answer to, counts", async () => {
  const alone = new Asking(scenarioOf("a"), { canAsk: false });
  const pod = await alone.open();
  const report = await pod.submit([{ type: "text", text: "go" }]);
  await pod.close();
  assert.equal(report.permissionNeeded, true);
  assert.deepEqual(await alone.results(), [told.nobody]);
  assert.deepEqual(await alone.entriesOf("approval_asked"), []);
  for (const [answer, rule, result] of [
    [allow, "ask", told.ran],
    [deny, "ask", told.userRefused],
    [null, "ask", told.nobody],
    // What nobody wants to know any more was asked all the same.
    [allow, "allow", told.ran],
    [null, "allow", told.nobody],
    [null, "deny", told.ruleRefused],
  ] as const) {
    const m = new Asking(scenarioOf("a"));
    const first = await m.asked();
    const { digest } = only(first.pod.approvals);
    first.pod.pause();
    await first.run;
    if (answer !== null) await first.pod.answerApproval(answer(digest));
    await first.pod.close();
    const next = await m.open(rule, { canAsk: false });
    const { permissionNeeded } = await next.resume();
    await next.close();
    assert.deepEqual([await m.results(), permissionNeeded], [[result], result === told.nobody]);
  }
});

test("a feature's hook is asked before the person is, may refuse what nobody is asked then, and can neither ask nor answer", async () => {
  const seen: string[] = [];
  const hooked = (action: object) =>
    moduleOf(
      descriptorOf("project:ops", { hooks: [{ name: "gate", point: "pre_tool_call" }] }),
      ({ hooks }) => {
        hooks.preToolCall("gate", ({ arguments: args }) => {
          seen.push(String(args["what"]));
          return action as { action: "continue" };
        });
      },
    );
  const granted = { approvalOf: async () => ({ granted: [] }) };
  const cases: readonly [object, string][] = [
    [{ action: "deny", message: "no" }, "denied: project:ops (gate): no"],
    [
      { action: "ask", reason: "me" },
      "denied: Refused: the hook gate (pre_tool_call) of project:ops failed: its action is not one of: continue, deny, abort, pause. Nothing was done.",
    ],
  ];
  for (const [action, result] of cases) {
    const m = new Asking(scenarioOf("a"), { features: [hooked(action)], featureHost: granted });
    const pod = await m.open();
    await pod.submit([{ type: "text", text: "go" }]);
    await pod.close();
    assert.deepEqual(await m.results(), [result]);
    assert.deepEqual(await m.entriesOf("approval_asked"), []);
  }
  const m = new Asking(scenarioOf("a"), { features: [hooked({ action: "continue" })], featureHost: granted });
  seen.length = 0;
  const asked = await m.asked();
  assert.deepEqual(seen, ["a"]);
  await asked.pod.answerApproval(allow(only(asked.pod.approvals).digest));
  await ended(m, asked);
  assert.deepEqual([seen, await m.results()], [["a"], [told.ran]], "and nobody after that");
});

test("what is shown is what will run: escapes are read and of one name twice the last counts; control characters stay in JSON", async () => {
  const arguments_ = '{"what":"harmless","\\u0077hat":"\\u0072m \\u001b]0;x\\u0007\\u202e\\u0000"}';
  const scenario = JSON.stringify({
    steps: [{ tool_calls: [{ name: "Effect", arguments: arguments_ }] }, { text: "end" }],
  });
  const m = new Asking(scenario);
  const asked = await m.asked();
  const shown = only(asked.pod.approvals);
  assert.equal(shown.arguments, JSON.stringify({ what: "rm \u001b]0;x\u0007\u202e\u0000" }));
  assert.doesNotMatch(shown.arguments, /[\0\u0007\u001b]/);
  assert.deepEqual(await openApprovals(m.stores, simulatedPod), [shown]);
  await asked.pod.answerApproval(allow(shown.digest));
  await ended(m, asked);
  assert.deepEqual([...m.world.effects.keys()], ["rm \u001b]0;x\u0007\u202e\u0000"]);
});

test("an answer to a closed Pod is refused", async () => {
  const m = new Asking(scenarioOf("a"));
  const { pod, run } = await m.asked();
  const { digest } = only(pod.approvals);
  await pod.close();
  await run;
  await assert.rejects(pod.answerApproval(allow(digest)), { kind: "refused" });
});

test("what a rule forbids by the time of the answer is refused, also where the answer allows it", async () => {
  const write = { name: "Write", arguments: { file_path: "/w/link" } };
  const rule = (pattern: string, action: Rule) => ({ tool: "Write", pattern, action, origin: settingsFile });
  for (const [leadsTo, result] of [
    ["/w/open", "written"],
    ["/w/secret", `denied: Refused by the rule deny Write(/w/secret) of ${settingsFile}. Nothing was done.`],
  ] as const) {
    let target = "/w/open";
    const definition = { name: "Write", description: "Writes.", input_schema: { type: "object" } };
    const m = new Asking(JSON.stringify({ steps: [{ tool_calls: [write] }, { text: "end" }] }), {
      tools: [{ definition, readOnly: false, execute: async () => ({ summary: "written" }) }],
      locate: (path) => (path === "/w/link" ? target : path),
      manifest: manifestOf({
        permissions: { mode: "allow-in-scope", rules: [rule("/w/secret", "deny"), rule("/w/link", "ask")] },
      }),
    });
    const asked = await m.asked();
    target = leadsTo;
    await asked.pod.answerApproval(allow(only(asked.pod.approvals).digest));
    await ended(m, asked);
    assert.deepEqual(await m.results(), [result]);
  }
});

test("an answer that comes on record behind the cancel of its call is refused", async () => {
  const m = new Asking(scenarioOf("a"));
  const asked = await m.asked();
  const { digest } = only(asked.pod.approvals);
  const answers: Promise<unknown>[] = [];
  m.host.disk.plan = () => {
    // The first operation is that of the cancel's own batch.
    if (answers.length === 0) {
      const late = asked.pod.answerApproval(allow(digest));
      answers.push(assert.rejects(late, unknown(/was closed before the answer was on record/)));
    }
    return "pass";
  };
  asked.pod.cancel();
  await m.host.advance(5);
  assert.equal(answers.length, 1);
  await Promise.all(answers);
  await ended(m, asked);
  assert.deepEqual([await m.results(), m.world.effects.size], [[told.notExecuted], 0]);
});

test("however the waiting ends, nobody waits on and no timer is left", async () => {
  const ends: readonly (readonly [string, (pod: Pod, digest: string, m: Asking) => unknown])[] = [
    ["an answer", (pod, digest) => pod.answerApproval(allow(digest))],
    ["its time", (_pod, _digest, m) => m.host.advance(approvalMs)],
    ["a pause", (pod) => pod.pause()],
    ["a cancel", (pod) => pod.cancel()],
    ["the close", (pod) => pod.close()],
  ];
  for (const [name, end] of ends) {
    const m = new Asking(scenarioOf("a"));
    const left = new Set<symbol>();
    const after: Timers["after"] = (ms, fire) => {
      const timer = Symbol(`${ms} ms`);
      left.add(timer);
      const cancel = m.host.timers.after(ms, () => {
        left.delete(timer);
        fire();
      });
      return () => {
        left.delete(timer);
        cancel();
      };
    };
    const timers = { after, sleep: m.host.timers.sleep };
    const asked = await m.asked({ ports: { timers } });
    assert.ok(left.size > 0, "control: it waits on a timer");
    await end(asked.pod, only(asked.pod.approvals).digest, m);
    await m.settled(() => asked.pod.snapshot.state !== "running");
    assert.deepEqual([...left], [], name);
    await ended(m, asked);
  }
});
