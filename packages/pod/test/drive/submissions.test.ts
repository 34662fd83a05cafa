/** Submissions: what carries a name comes in once, whenever it is repeated, and whatever becomes of the first. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { idCharsMax } from "@yoi/protocol";
import { memoryHost, noFaults } from "@yoi/host";
import { submissionDigest } from "@yoi/session-store";
import { type EntryKind, isKnown } from "@yoi/base";
import {
  entriesOf,
  logOf,
  openParts,
  type Parts,
  type PartsOptions,
  spoken,
  unlimited,
} from "../../../../test/inbox/parts.ts";
import { openSimulated } from "../../../../test/support/simulated-pod.ts";
import type { Submitted } from "../../src/index.ts";
import { Submissions } from "../../src/inbox/submissions.ts";

const scenario = JSON.stringify({
  steps: [{ text: "One.", delay_ms: 100 }, { text: "Two." }, { text: "Three." }],
});
const text = (said: string) => [{ type: "text", text: said }] as const;
const begin = (parts: Parts, said: string, submission: string): Promise<Submitted> =>
  parts.drive.begin(text(said), { limits: unlimited, submission });

async function opened(more: Partial<PartsOptions> = {}) {
  const options = { host: memoryHost({ seed: 6 }), leases: new Map(), scenario, ...more };
  return { options, host: options.host, parts: await openParts(options) };
}

async function count(host: PartsOptions["host"], kind: EntryKind): Promise<number> {
  return (await entriesOf(host)).filter((entry) => isKnown(entry) && entry.kind === kind).length;
}

const idOf = (submitted: Submitted): string | null => (submitted.duplicate ? submitted.id : submitted.run.id);

describe("the same input again is the first one, and nothing is done", () => {
  test("while that is being accepted, while it runs, when it has ended, and after a restart", async () => {
    const { options, host, parts } = await opened();
    const [first, ...early] = await Promise.all([1, 2, 3].map(() => begin(parts, "go", "s-1")));
    assert.ok(first !== undefined && !first.duplicate && first.run.id !== null);
    const { id } = first.run;
    const again = { duplicate: true, id } as const;
    assert.deepEqual(early, [again, again]);
    // Never already_running: it is the run that goes on.
    assert.deepEqual(await begin(parts, "go", "s-1"), again);
    await assert.rejects(begin(parts, "go", "s-2"), { code: "already_running" });
    await host.advance(1_000);
    await first.run.ended;
    assert.deepEqual(await begin(parts, "go", "s-1"), again);
    assert.equal((await entriesOf(host))[Number(id)]?.kind, "invoke");
    await parts.close();

    const restored = await openParts(options);
    assert.deepEqual(await begin(restored, "go", "s-1"), again);
    assert.deepEqual(spoken(restored.gate.state), ["user: go", "model: One."]);
    await restored.close();
  });

  test("after its turn was rolled back, also by another owner", async () => {
    const { options, parts } = await opened();
    const first = await begin(parts, "go", "s-1");
    assert.ok(!first.duplicate);
    parts.drive.stop("cancel");
    assert.equal((await first.run.ended).outcome.kind, "rolled_back");
    const again = { duplicate: true, id: first.run.id };
    assert.deepEqual(await begin(parts, "go", "s-1"), again);
    await parts.close();
    const restored = await openParts(options);
    assert.deepEqual(await begin(restored, "go", "s-1"), again);
    assert.deepEqual([restored.drive.state, restored.gate.items], ["idle", []]);
    await restored.close();
  });

  test("behind closed calls and with attachments too, the id is that of the invoke", async () => {
    const { host, parts } = await opened({
      scenario: JSON.stringify({ steps: [{ text: "Broken off", cut_after: 3 }, { text: "Two." }] }),
      input: {
        attach: async () => ({
          items: [
            { type: "system_item", kind: "file_attachment", source: "host", body: "a" },
            { type: "system_item", kind: "file_attachment", source: "host", body: "b" },
          ],
          warnings: [],
        }),
      },
    });
    const given = [{ type: "file_ref", path: "a" }] as const;
    const named = { limits: unlimited, submission: "s" };
    const first = await parts.drive.begin(given, named);
    assert.ok(!first.duplicate && first.run.id !== null);
    const { id } = first.run;
    assert.deepEqual(
      (await entriesOf(host)).slice(Number(id), Number(id) + 4).map(({ kind }) => kind),
      ["invoke", "user_input", "system_item", "system_item"],
    );
    assert.deepEqual(await parts.drive.begin(given, named), { duplicate: true, id });
    // The same step breaks off until its run pauses.
    await host.advance(5_000);
    await first.run.ended;
    await parts.close();
  });

  test("a notification, waiting or delivered", async () => {
    const { host, parts } = await opened();
    const notice = { source: "user", message: "news", submission: "n-1" };
    const [first, second] = await Promise.all([parts.inbox.accept(notice), parts.inbox.accept(notice)]);
    assert.deepEqual(
      [first, second],
      [
        { duplicate: false, id: first?.id },
        { duplicate: true, id: first?.id },
      ],
    );
    assert.equal(parts.inbox.waiting, 1);
    const running = parts.submit("go");
    await host.advance(1_000);
    await running;
    assert.deepEqual(await parts.inbox.accept(notice), { duplicate: true, id: first?.id });
    assert.deepEqual([await count(host, "inbox_accepted"), parts.inbox.waiting], [1, 0]);
    await parts.close();
  });
});

describe("a repeat shares what becomes of the first, and then the name is free", () => {
  test("that was refused", async () => {
    let refusals = 0;
    const { host, parts } = await opened({
      input: {
        promptSubmit: async () => {
          await Promise.resolve();
          refusals += 1;
          return refusals === 1 ? { action: "cancel", reason: "no" } : { action: "continue" };
        },
      },
    });
    const both = await Promise.allSettled([begin(parts, "go", "s"), begin(parts, "go", "s")]);
    assert.deepEqual(
      both.map((each) => each.status === "rejected" && each.reason.code),
      ["prompt_refused", "prompt_refused"],
    );
    assert.equal(refusals, 1);
    const third = await begin(parts, "go", "s");
    assert.equal(third.duplicate, false);
    await host.advance(1_000);
    await parts.close();
  });

  test("that was stopped before it was on record", async () => {
    const { host, parts } = await opened({ input: { promptSubmit: () => new Promise(() => {}) } });
    const both = [begin(parts, "go", "s"), begin(parts, "go", "s")];
    parts.drive.stop("cancel");
    const [first, second] = await Promise.all(both);
    assert.ok(first !== undefined && second !== undefined);
    assert.deepEqual([idOf(first), second], [null, { duplicate: true, id: null }]);
    assert.equal(await count(host, "invoke"), 0);
    await parts.close();
  });

  test("whose log could not be written", async () => {
    const { host, parts } = await opened();
    host.disk.plan = ({ kind }) => (kind === "write" ? "ENOSPC" : "pass");
    const both = await Promise.allSettled([begin(parts, "go", "s"), begin(parts, "go", "s")]);
    assert.deepEqual(
      both.map((each) => each.status === "rejected" && each.reason.code),
      ["disk_full", "disk_full"],
    );
    host.disk.plan = noFaults;
    const later = await begin(parts, "go", "s");
    assert.ok(!later.duplicate);
    await host.advance(1_000);
    assert.deepEqual((await later.run.ended).outcome, { kind: "finished", text: "One." });
    await parts.close();
  });

  test("whose batch a crash tore: of the two entries only the invoke is there", async () => {
    const { options, host, parts } = await opened();
    await begin(parts, "go", "s");
    host.crash("process");
    const after = host.restart();
    const { path, bytes } = await logOf(after);
    await after.files.replace(
      path,
      bytes.subarray(0, bytes.lastIndexOf("\n", bytes.indexOf("user_input")) + 1),
    );
    const restored = await openParts({ ...options, host: after });
    assert.equal(await count(after, "invoke"), 1);
    const again = await begin(restored, "go", "s");
    assert.ok(!again.duplicate);
    await after.advance(1_000);
    assert.deepEqual((await again.run.ended).outcome, { kind: "finished", text: "One." });
    assert.deepEqual(spoken(restored.gate.state), ["user: go", "model: One."]);
    await restored.close();
  });
});

describe("the same name for something else is a conflict", () => {
  const other = { code: "submission_conflict" };
  test("of an input, a notification, or one for the other, at any time", async () => {
    const { host, parts } = await opened();
    const first = begin(parts, "go", "s");
    await assert.rejects(begin(parts, "come", "s"), other);
    await first;
    await assert.rejects(begin(parts, "come", "s"), other);
    const notice = { source: "user", message: "go", submission: "s" };
    await assert.rejects(parts.inbox.accept(notice), other);
    await parts.inbox.accept({ ...notice, submission: "n" });
    for (const changed of [{ message: "come" }, { source: "host" }, { reason: "why" }])
      await assert.rejects(parts.inbox.accept({ ...notice, submission: "n", ...changed }), other);
    await assert.rejects(begin(parts, "go", "n"), other);
    await host.advance(1_000);
    assert.deepEqual([await count(host, "user_input"), await count(host, "inbox_accepted")], [1, 1]);
    await parts.close();
  });
});

test("credentials that were taken out of what is on record make no repeat another content", async () => {
  const stored = [{ type: "text", text: "use [secret] now" }] as const;
  const gate = {
    state: { submissions: new Map([["s", { seq: 4, id: "4", digest: submissionDigest(stored) }]]) },
  };
  const submissions = new Submissions(gate, (said) => said.replaceAll("hunter2", "[secret]"));
  const never = () => assert.fail("it was accepted again");
  assert.deepEqual(await submissions.once("s", text("use hunter2 now"), never), { duplicate: true, id: "4" });
  await assert.rejects(submissions.once("s", text("use hunter3 now"), never), {
    code: "submission_conflict",
  });
});

test("a name that holds a credential is refused: on record it would be another one, and its repeat something new", async () => {
  const gate = { state: { submissions: new Map() } };
  const submissions = new Submissions(gate, (said) => said.replaceAll("hunter2", "[secret]"));
  const never = () => assert.fail("it was accepted");
  await assert.rejects(submissions.once("deploy-hunter2-1", text("go"), never), { code: "usage" });
  assert.deepEqual(await submissions.once("deploy-1", text("go"), async () => "4"), {
    duplicate: false,
    id: "4",
  });
});

for (const [chars, code] of [
  [0, "usage"],
  [idCharsMax, null],
  [idCharsMax + 1, "limit_exceeded"],
] as const) {
  test(`a name of ${chars} characters is ${code === null ? "taken" : "refused"}`, async () => {
    const { host, parts } = await opened();
    const name = "n".repeat(chars);
    const tried = await Promise.allSettled([
      begin(parts, "go", name),
      parts.inbox.accept({
        source: "user",
        message: "m",
        submission: `${name.slice(1)}${chars === 0 ? "" : "m"}`,
      }),
    ]);
    for (const each of tried) assert.equal(each.status === "rejected" ? each.reason.code : null, code);
    await host.advance(1_000);
    await parts.close();
  });
}

test("the Pod's own verbs: begun and followed, repeated, paused by its name, gone on with", async () => {
  const host = memoryHost({ seed: 6 });
  const slow = { attempts: [{ text: "A first piece, and then more", pace_ms: 500 }] };
  const pod = await openSimulated({
    host,
    leases: new Map(),
    scenario: JSON.stringify({ steps: [slow, { text: "Heard." }] }),
    tools: [],
  });
  const named = { limits: unlimited, submission: "s" };
  const begun = await pod.begin(text("go"), named);
  assert.ok(!begun.duplicate && begun.run.id !== null);
  const { id, ended } = begun.run;
  await host.advance(700);
  assert.deepEqual(await pod.begin(text("go"), named), { duplicate: true, id });
  assert.deepEqual([pod.pause(`${Number(id) + 1}`), pod.pause(id)], [false, true]);
  assert.equal((await ended).outcome.kind, "paused");
  const resumed = await pod.beginResume();
  await host.advance(700);
  pod.interrupt();
  assert.deepEqual((await resumed.ended).outcome, {
    kind: "paused",
    reason: "user",
    detail: "stopped by a signal",
  });
  assert.ok(resumed.id !== null && Number(resumed.id) > Number(id));
  const notice = { source: "user", message: "news", submission: "n" };
  const accepted = await pod.notify(notice);
  assert.deepEqual(await pod.notify(notice), { duplicate: true, id: accepted.id });
  assert.equal(pod.snapshot.waiting, 1);
  await pod.close();
});
