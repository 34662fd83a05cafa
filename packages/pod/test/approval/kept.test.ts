/** Answers that count for more calls: for how long, for whom, what they never do, and that a crash leaves no grant without its record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, type KeptAnswer } from "@yoi/base";
import { memoryHost, noFaults } from "@yoi/host";
import { createGrantStore, type GrantRecord } from "@yoi/keep";
import { protectionOf } from "@yoi/scope";
import { dataDir, manifestOf, simulatedPod } from "../../../../test/support/simulated-pod.ts";
import type { Granting } from "../../src/approval/granting.ts";
import { KeptAnswers, type KeptAnswersOptions, sessionKeptMax } from "../../src/approval/kept-answers.ts";
import type { Pod } from "../../src/index.ts";
import { allow, Asking, deny, only, ruleOf } from "./asking.ts";

/** Each is a step with one call; null is the end of a run. */
const steps = (...whats: readonly (string | null)[]): string =>
  JSON.stringify({
    steps: [...whats, null, null].map((what) =>
      what === null ? { text: "end" } : { tool_calls: [{ name: "Effect", arguments: { what } }] },
    ),
  });
const rule = "Effect(*)";
const session: KeptAnswer = { for: "session", rule };
const always: KeptAnswer = { for: "always", rule };

/** With a store of grants on the same disk. */
class Keeping extends Asking {
  get grants() {
    const { files, clock } = this.host;
    const inspect = async (path: string) => {
      const stat = await files.stat(path);
      return stat === null
        ? null
        : { kind: stat.kind, mode: stat.kind === "directory" ? 0o700 : 0o600, own: true };
    };
    return createGrantStore({ files, clock, dataDir, inspect });
  }

  get granting(): Granting {
    const protection = protectionOf({ workspace: "/w", home: null, own: [dataDir], spill: null });
    return { grants: this.grants, protection, realPath: (path) => ({ path, isDirectory: false }) };
  }

  async given(): Promise<readonly GrantRecord[]> {
    return (await this.grants.list()).grants;
  }

  async end(pod: Pod, run: Promise<unknown>): Promise<void> {
    await this.settled(() => pod.snapshot.state !== "running");
    await run;
    await pod.close();
  }

  async startedBy() {
    return (await this.entriesOf("tool_started")).map(({ allowed_by = [] }) => allowed_by);
  }
}

const go = [{ type: "text", text: "more" }] as const;

test("an answer for the session lets later calls start, says so on record, and does so behind a restart; a rule that forbids them stands", async () => {
  const m = new Keeping(steps("a", "b", null, "c", null, "d"));
  const { pod, run } = await m.asked();
  const { digest, offers } = only(pod.approvals);
  assert.deepEqual(offers, [rule]);
  const seq = await pod.answerApproval({ ...allow(digest), keep: session });
  await m.end(pod, run);
  assert.deepEqual([...m.world.effects.keys()], ["a", "b"]);
  const by = { for: "session", id: `${seq}`, rule };
  assert.deepEqual(await m.startedBy(), [[], [by]]);
  for (const [action, told] of [
    ["ask", 3],
    ["deny", 3],
  ] as const) {
    const again = await m.open(action);
    const goesOn = again.submit(go);
    await m.settled(() => again.snapshot.state !== "running");
    await goesOn;
    await again.close();
    assert.equal((await m.startedBy()).length, told, action);
  }
  const refused = (await m.results()).filter((result) => result.startsWith("denied: "));
  assert.deepEqual(refused, [
    "denied: Refused by the rule deny Effect(*) of /c/config.toml. Nothing was done.",
  ]);
  assert.equal((await m.entriesOf("approval_asked")).length, 1);
});

test("kept or once: without `keep` the next call is asked about (the control), and so it is when its time is over", async () => {
  for (const keep of [undefined, { ...session, expires: memoryHost({ seed: 5 }).clock.now() + 60_000 }]) {
    const m = new Keeping(steps("a", "b"));
    const { pod, run } = await m.asked();
    const waits = only(pod.approvals);
    if (keep === undefined) await pod.answerApproval(allow(waits.digest));
    else {
      pod.pause();
      await run;
      await pod.answerApproval({ ...allow(waits.digest), keep });
      await m.host.advance(60_000);
    }
    const goesOn = keep === undefined ? run : pod.resume();
    await m.settled(() => pod.approvals.some(({ call }) => call !== waits.call));
    pod.cancel();
    await m.end(pod, goesOn);
    assert.deepEqual([...m.world.effects.keys()], ["a"]);
  }
});

test("an answer for always is a grant: for other Pods of the workspace too, also where nobody can be asked, until it is revoked or over; for no other workspace", async () => {
  const m = new Keeping(steps("a"));
  const { pod, run } = await m.asked({ granting: m.granting });
  const { digest } = only(pod.approvals);
  const expires = m.host.clock.now() + 3_600_000;
  await pod.answerApproval({ ...allow(digest), keep: { ...always, expires } });
  await m.end(pod, run);
  const [grant, ...others] = await m.given();
  assert.ok(grant !== undefined && others.length === 0);
  const { id, given: _, ...rest } = grant;
  assert.deepEqual(rest, {
    state: "given",
    rule,
    workspace: "/w",
    expires,
    pod: "sim",
    digest,
    tool: "Effect",
    about: '{"what":"a"}',
  });
  const other = podName("other");
  const attempt = async (what: string, workspace = "/w"): Promise<readonly unknown[]> => {
    const scope = { allow: [{ target: workspace, permission: "write" as const, recursive: true }], deny: [] };
    const manifest = manifestOf({
      workspace,
      scope,
      permissions: { mode: "allow-in-scope", rules: [ruleOf("ask")] },
    });
    const name = podName(`${other}-${what}`);
    const more = { name, manifest, canAsk: false, granting: m.granting };
    const theirs = await m.open("ask", { ...more, scenario: steps(what) } as never);
    const report = theirs.submit(go);
    await m.settled(() => theirs.snapshot.state !== "running");
    const { permissionNeeded } = await report;
    await theirs.close();
    return [m.world.effects.has(what), permissionNeeded];
  };
  assert.deepEqual(await attempt("same"), [true, false]);
  assert.deepEqual(await attempt("elsewhere", "/x"), [false, true]);
  await m.grants.put({ ...grant, workspace: null });
  assert.deepEqual(await attempt("everywhere", "/x"), [true, false]);
  await m.grants.put({ ...grant, state: "pending" });
  assert.deepEqual(await attempt("pending"), [false, true]);
  await m.grants.put(grant);
  await m.host.files.replace(`${dataDir}/keep/grants/${id}.json`, Buffer.from("{"));
  assert.deepEqual(await attempt("damaged"), [false, true]);
  await m.grants.put(grant);
  assert.deepEqual(await attempt("again"), [true, false]);
  await m.host.advance(3_600_000);
  assert.deepEqual(await attempt("over"), [false, true]);
  await m.grants.put({ ...grant, expires: null });
  assert.deepEqual(await attempt("endless"), [true, false]);
  await m.grants.remove(id);
  assert.deepEqual(await attempt("revoked"), [false, true]);
});

test("a revoke counts at once in a Pod that runs, and a grant that is damaged is said once", async () => {
  const m = new Keeping(steps("a", "b", null, "c", "d"));
  const { pod, run } = await m.asked({ granting: m.granting });
  await pod.answerApproval({ ...allow(only(pod.approvals).digest), keep: always });
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  assert.deepEqual([...m.world.effects.keys()], ["a", "b"]);
  const [grant] = await m.given();
  assert.ok(grant);
  await m.host.files.replace(`${dataDir}/keep/grants/${grant.id}.json`, Buffer.from("{"));
  const more = pod.submit(go);
  await m.settled(() => pod.approvals.length > 0);
  await pod.answerApproval(allow(only(pod.approvals).digest));
  await m.settled(() => m.world.effects.has("c") && pod.approvals.length > 0);
  pod.cancel();
  await m.settled(() => pod.snapshot.state !== "running");
  await more;
  assert.equal(pod.alerts.filter(({ message }) => message.includes(`${grant.id}.json`)).length, 1);
  await pod.close();
});

test("what cannot be kept is refused with the way out, and leaves no trace; the call waits on", async () => {
  const m = new Keeping(steps("a"));
  const { pod, run } = await m.asked({ granting: m.granting });
  const { digest } = only(pod.approvals);
  const now = m.host.clock.now();
  const before = (await m.entries()).length;
  for (const [answer, code, message] of [
    [
      { ...allow(digest), keep: { ...session, rule: "Effect(a)" } },
      "usage",
      /none of those that are offered/,
    ],
    [{ ...allow(digest), keep: { ...always, rule: "Bash(*)" } }, "usage", /none of those that are offered/],
    [{ ...allow(digest), keep: { ...session, expires: now } }, "usage", /is over already/],
    [{ digest, answer: "deny", reason: null, keep: session }, "usage", /only what is allowed/],
  ] as const)
    await assert.rejects(pod.answerApproval(answer), { code, message });
  assert.equal((await m.entries()).length, before);
  assert.deepEqual(await m.given(), []);
  await pod.answerApproval({ ...allow(digest), keep: { ...session, expires: now + 1 } });
  await assert.rejects(pod.answerApproval({ ...allow(digest), keep: always }), { code: "approval_unknown" });
  await m.end(pod, run);
  const alone = new Keeping(steps("a"));
  const asked = await alone.asked();
  const refused = { ...allow(only(asked.pod.approvals).digest), keep: always };
  await assert.rejects(asked.pod.answerApproval(refused), { code: "usage", message: /for its session only/ });
  asked.pod.cancel();
  await alone.end(asked.pod, asked.run);
});

test("wherever the machine dies while an answer for always is taken, it is asked again and nothing is granted, or both the record and the grant are there", async () => {
  const outcomes = new Map<string, number>();
  for (let at = 1; ; at += 1) {
    const m = new Keeping(steps("a", "b"));
    const { pod } = await m.asked({ granting: m.granting });
    const { digest } = only(pod.approvals);
    let steps_ = 0;
    m.host.disk.plan = () => (++steps_ === at ? "crash" : "pass");
    const isTaken = await pod.answerApproval({ ...allow(digest), keep: always }).then(
      () => true,
      (error: unknown) => {
        assert.ok(m.host.crashed, String(error));
        return false;
      },
    );
    m.host.disk.plan = noFaults;
    if (isTaken) m.host.crash("power");
    m.host = m.host.restart();
    // Before anybody opens the Pod, what is there of a grant lets nothing through unless its answer was said to be taken.
    const first = await m.given();
    const again = await m.open("ask", { granting: m.granting });
    const states = (await m.given()).map(({ state }) => state);
    const records = (await m.entriesOf("approval_answered")).filter(({ keep }) => keep?.for === "always");
    const asks = again.approvals.length;
    assert.deepEqual(
      { states, asks },
      records.length === 1 ? { states: ["given"], asks: 0 } : { states: [], asks: 1 },
      `step ${at}`,
    );
    if (first.some(({ state }) => state === "given")) assert.equal(records.length, 1, `step ${at}`);
    if (isTaken)
      assert.deepEqual(
        first.map(({ state }) => state),
        ["given"],
      );
    const outcome = `${records.length} on record, ${first.map(({ state }) => state).join() || "none"} in keep`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await again.close();
    if (isTaken) break;
  }
  console.log(`crashes of an answer that is kept: ${JSON.stringify(Object.fromEntries(outcomes))}`);
  assert.ok(outcomes.has("0 on record, pending in keep"), "it dies between the two");
  assert.ok(outcomes.has("1 on record, pending in keep"), "and between the record and the grant");
});

test("an answer whose record fails leaves no grant, and none comes of the next answer to the same call", async () => {
  for (const isGone of [true, false]) {
    const m = new Keeping(steps("a"));
    const { pod, run } = await m.asked({ granting: m.granting });
    const { digest } = only(pod.approvals);
    m.host.disk.plan = ({ kind, path }) =>
      // The disk is full; the other time the grant cannot be taken back either.
      (kind === "write" && path.includes("/sessions/")) || (!isGone && kind === "remove") ? "ENOSPC" : "pass";
    await assert.rejects(pod.answerApproval({ ...allow(digest), keep: { ...always, everywhere: true } }), {
      code: "disk_full",
    });
    m.host.disk.plan = noFaults;
    assert.deepEqual(
      (await m.given()).map(({ state }) => state),
      isGone ? [] : ["pending"],
    );
    assert.deepEqual(pod.approvals.length, 1);
    await pod.answerApproval({ ...allow(digest), keep: session });
    await m.end(pod, run);
    const again = await m.open("ask", { granting: m.granting });
    assert.deepEqual(await m.given(), []);
    await again.close();
  }
});

test("a grant and the record of its answer name each other", async () => {
  const m = new Keeping(steps("a"));
  const { pod, run } = await m.asked({ granting: m.granting });
  await pod.answerApproval({ ...allow(only(pod.approvals).digest), keep: always });
  await m.end(pod, run);
  const [grant] = await m.given();
  assert.ok(grant);
  assert.deepEqual(
    (await m.entriesOf("approval_answered")).map(({ keep }) => keep),
    [{ ...always, grant: grant.id }],
  );
});

test("a call that the user refused is refused again, with the same reason, until the user says something; another one is asked about", async () => {
  const m = new Keeping(steps("a", "a", "b", null, "a"));
  const { pod, run } = await m.asked();
  await pod.answerApproval(deny(only(pod.approvals).digest, "not here"));
  await m.settled(() => pod.approvals.length > 0);
  assert.equal(JSON.parse(only(pod.approvals).arguments).what, "b");
  await pod.answerApproval(deny(only(pod.approvals).digest, null));
  await m.settled(() => pod.snapshot.state !== "running");
  await run;
  assert.deepEqual((await m.results()).toSorted(), [
    "denied: The user refused this call before, and nothing was said since: not here. Nothing was done.",
    "denied: The user refused this call. Nothing was done.",
    "denied: The user refused this call: not here. Nothing was done.",
  ]);
  const more = pod.submit(go);
  await m.settled(() => pod.approvals.length > 0);
  assert.equal(JSON.parse(only(pod.approvals).arguments).what, "a");
  pod.cancel();
  await m.end(pod, more);
});

test("a session keeps 256 answers and not one more", async () => {
  const { clock, ids } = memoryHost({ seed: 1 });
  const begin = (count: number) => {
    const kept = Array.from({ length: count }, (_, n) => ({ id: `${n}`, digest: "", keep: session }));
    const options = { pod: simulatedPod, workspace: "/w", isChild: false, grants: null, clock, ids };
    const gate = { state: { kept } } as unknown as KeptAnswersOptions["gate"];
    const permissions = { isKept: async () => false };
    const answers = new KeptAnswers({ ...options, gate, permissions, warn: () => {} });
    return answers.begin(session, { offers: [rule], digest: "" }, { tool: "Effect", about: "{}" });
  };
  await begin(sessionKeptMax - 1);
  await assert.rejects(begin(sessionKeptMax), { code: "limit_exceeded" });
});

test("a child goes by its own session alone", async () => {
  const { clock, ids } = memoryHost({ seed: 1 });
  const never = () => assert.fail("it asks for grants");
  const grants = { list: never, put: never, remove: never };
  const kept = [{ id: "7", digest: "", keep: session }];
  const gate = { state: { kept } } as unknown as KeptAnswersOptions["gate"];
  const options = { pod: simulatedPod, workspace: "/w", gate, clock, ids, warn: assert.fail };
  const permissions = { isKept: async () => true };
  const child = new KeptAnswers({ ...options, permissions, isChild: true, grants });
  assert.deepEqual(await child.covering({ name: "Effect", args: {}, readOnly: false }), {
    for: "session",
    id: "7",
    rule,
  });
  const subject = { tool: "Effect", about: "{}" };
  await assert.rejects(child.begin(always, { offers: [rule], digest: "" }, subject), {
    code: "usage",
    message: /A child keeps answers for its session only/,
  });
});
