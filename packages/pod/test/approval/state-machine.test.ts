/** The state machine of an approval, as a table: what was answered, what happened to the Pod, and what its rules say by then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "@yoi/session-store";
import { approvalMs, openApprovals, type Pod } from "../../src/index.ts";
import { simulatedPod } from "../../../../test/support/simulated-pod.ts";
import { allow, Asking, deny, only, type Rule, scenarioOf, told } from "./asking.ts";

type Answer = "none" | "allow" | "deny" | "expire" | "allow, unused until it expires" | "deny, long ago";
/** live: it is answered while its run waits. The others stop that run first; what is answered then counts when it goes on. */
type Event =
  | "live"
  | "pause, same owner"
  | "kill"
  | "pause"
  | "close"
  | "pause, then new input"
  | "cancel"
  | "time limit";
type End = keyof typeof told | "waits";

const stops: readonly Event[] = ["kill", "pause", "close", "time limit"];
const resumed = (answer: Answer, rule: Rule, end: End): readonly [Answer, Event, Rule, End][] =>
  stops.map((event) => [answer, event, rule, end]);

const table: readonly (readonly [Answer, Event, Rule, End])[] = [
  ["none", "live", "ask", "waits"],
  ["allow", "live", "ask", "ran"],
  ["deny", "live", "ask", "userRefused"],
  ["expire", "live", "ask", "expired"],
  ["none", "cancel", "ask", "notExecuted"],
  ["none", "pause, then new input", "ask", "notExecuted"],
  ["allow", "pause, then new input", "ask", "notExecuted"],
  ["allow", "pause, then new input", "allow", "notExecuted"],
  ["deny", "pause, then new input", "ask", "notExecuted"],
  ["none", "pause, same owner", "ask", "waits"],
  ["allow", "pause, same owner", "ask", "ran"],
  ["deny", "pause, same owner", "ask", "userRefused"],
  ["expire", "pause, same owner", "ask", "expired"],
  ...resumed("none", "ask", "waits"),
  ...resumed("allow", "ask", "ran"),
  ...resumed("deny", "ask", "userRefused"),
  ...resumed("expire", "ask", "expired"),
  ...resumed("allow, unused until it expires", "ask", "expired"),
  ["deny, long ago", "kill", "ask", "userRefused"],
  ...resumed("none", "deny", "ruleRefused"),
  ...resumed("allow", "deny", "ruleRefused"),
  ...resumed("deny", "deny", "ruleRefused"),
  ...resumed("none", "allow", "waits"),
  ...resumed("allow", "allow", "ran"),
  ...resumed("deny", "allow", "userRefused"),
  ...resumed("expire", "allow", "ran"),
];

for (const [answer, event, rule, end] of table) {
  test(`answer: ${answer}; ${event}; the rule then: ${rule}: ${end}`, async () => {
    const m = new Asking(scenarioOf("a"));
    const { pod: first, run } = await m.asked();
    const asked = only(first.approvals);
    const pod = await after(m, first, run, event, rule);
    if (pod === null) {
      assert.equal(end, "notExecuted");
      return finish(m, end);
    }
    if (event !== "live") {
      assert.notEqual(pod.snapshot.state, "running");
      assert.deepEqual(pod.approvals, [asked], "it shows while nothing runs");
      assert.deepEqual(await openApprovals(m.stores, simulatedPod), [asked], "to others too");
    }
    await answered(m, pod, asked.digest, answer);
    const goesOn =
      event === "live" ? run : event === "pause, then new input" ? pod.submit(say("more")) : pod.resume();
    if (end !== "waits") {
      await m.settled(() => pod.snapshot.state !== "running");
      await goesOn;
      await pod.close();
      return finish(m, end);
    }
    await m.host.advance(10);
    assert.deepEqual(pod.approvals, [asked], "the same waits on");
    assert.equal((await m.entriesOf("approval_asked")).length, 1);
    await pod.answerApproval(allow(asked.digest));
    await m.settled(() => pod.snapshot.state !== "running");
    await goesOn;
    await pod.close();
    await finish(m, "ran");
  });
}

const say = (text: string) => [{ type: "text", text } as const];

/** The Pod after the event; null: its run is over. */
async function after(
  m: Asking,
  pod: Pod,
  run: Promise<unknown>,
  event: Event,
  rule: Rule,
): Promise<Pod | null> {
  switch (event) {
    case "live":
      return pod;
    case "kill":
      m.kill();
      return m.open(rule);
    case "close":
      await pod.close();
      return m.open(rule);
    case "pause, same owner":
      assert.equal(pod.pause(), true);
      await run;
      return pod;
    case "pause":
    case "pause, then new input":
      assert.equal(pod.pause(), true);
      await run;
      await pod.close();
      return m.open(rule);
    case "time limit": {
      await pod.close();
      const next = await m.open();
      const limited = next.resume({ timeoutMs: 50 });
      await m.host.advance(60);
      assert.equal((await limited).outcome.kind, "limit_reached");
      await next.close();
      return m.open(rule);
    }
    case "cancel":
      assert.equal(pod.cancel(), true);
      await run;
      assert.deepEqual(pod.approvals, []);
      await pod.close();
      return null;
  }
}

async function answered(m: Asking, pod: Pod, digest: string, answer: Answer): Promise<void> {
  switch (answer) {
    case "none":
      return;
    case "allow":
    case "deny":
      await pod.answerApproval(answer === "allow" ? allow(digest) : deny(digest));
      return;
    case "expire":
      await m.host.advance(approvalMs);
      return;
    case "allow, unused until it expires":
    case "deny, long ago":
      await pod.answerApproval(answer === "deny, long ago" ? deny(digest) : allow(digest));
      await m.host.advance(approvalMs);
      return;
  }
}

/** The call has its one result, the effect if any came behind what allows it, and nothing waits any more, live or replayed. */
async function finish(m: Asking, end: Exclude<End, "waits">): Promise<void> {
  assert.deepEqual(await m.results(), [told[end]]);
  assert.deepEqual([...m.world.effects], end === "ran" ? [["a", 1]] : []);
  const state = replay(await m.entries());
  assert.deepEqual([state.approvals, state.unanswered], [[], []]);
  assert.equal((await m.entriesOf("approval_asked")).length, 1);
  const started = await m.entriesOf("tool_started");
  assert.equal(started.length, end === "ran" ? 1 : 0);
}
