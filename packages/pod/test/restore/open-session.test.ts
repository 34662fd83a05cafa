/** Opening a session: how a run is marked whose process died, and that nothing stays open when opening fails. */
import assert from "node:assert/strict";
import test from "node:test";
import { type EntryBody, isKnown, type LogEntry, type RequestConfig } from "@yoi/base";
import { failNth, memoryHost, noFaults } from "@yoi/host";
import type { Model, RequestHead } from "@yoi/model";
import { createSessionStore, replay } from "@yoi/session-store";
import { overriding } from "../../../../test/support/overriding.ts";
import {
  dataDir,
  effectTool,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../../test/support/simulated-pod.ts";
import { readActive } from "../../src/index.ts";

const scenario = "steps:\n  - text: First.\n  - text: Second.\n";

function machine() {
  const host = memoryHost({ seed: 3 });
  return { host, leases: new Map(), scenario, tools: [effectTool(new World(), host)] };
}
type Machine = ReturnType<typeof machine>;

async function entriesOf({ host, leases }: Machine): Promise<readonly LogEntry[]> {
  return (await readActive(simulatedStores(host, leases), simulatedPod)).view.entries;
}

/** Appends what a process wrote that died right behind it. */
async function leaveBehind({ host, leases }: Machine, bodies: readonly EntryBody[]): Promise<void> {
  const { sessions, pods } = simulatedStores(host, leases);
  const record = await pods.read(simulatedPod);
  assert.ok(record?.pointer.state === "active");
  const { writer } = await sessions.open(record.pointer, { metadataEpoch: record.epoch, version: "0" });
  await writer.append(bodies);
  await writer.close();
}

async function finishedOnce(): Promise<Machine> {
  const m = machine();
  const pod = await openSimulated(m);
  await pod.submit([{ type: "text", text: "one" }]);
  await pod.close();
  return m;
}

const closingOf = (entries: readonly LogEntry[]) => {
  const last = entries.findLast(({ kind }) => kind === "run_paused" || kind === "run_completed");
  return last === undefined || "opaque" in last ? null : last;
};

test("a run without its input is ended, not kept for a resume that would repeat the answer before it", async () => {
  const m = await finishedOnce();
  await leaveBehind(m, [{ kind: "invoke", trigger: "user_send" }]);
  const pod = await openSimulated(m);
  const closing = closingOf(await entriesOf(m));
  assert.ok(closing?.kind === "run_completed");
  assert.deepEqual(
    [closing.result, closing.detail],
    ["aborted", "the process that began it ended before its input arrived"],
  );
  assert.equal(pod.snapshot.state, "idle");
  await assert.rejects(pod.resume(), { code: "nothing_to_resume" });
  const report = await pod.submit([{ type: "text", text: "two" }]);
  assert.deepEqual(report.outcome, { kind: "finished", text: "Second." });
  await pod.close();
});

test("a run with its input, and a resumed one, are kept as interrupted", async () => {
  const input: EntryBody = { kind: "user_input", parts: [{ type: "text", text: "two" }] };
  for (const bodies of [
    [{ kind: "invoke", trigger: "user_send" }, input],
    [
      { kind: "invoke", trigger: "user_send" },
      input,
      { kind: "run_paused", reason: "user" },
      { kind: "invoke", trigger: "resume" },
    ],
  ] satisfies readonly EntryBody[][]) {
    const m = await finishedOnce();
    await leaveBehind(m, bodies);
    const pod = await openSimulated(m);
    const closing = closingOf(await entriesOf(m));
    assert.ok(closing?.kind === "run_paused" && closing.reason === "interrupted");
    assert.equal(pod.snapshot.state, "paused");
    assert.deepEqual((await pod.resume()).outcome, { kind: "finished", text: "Second." });
    await pod.close();
  }
});

test("when the Pod's name cannot be made to refer to its segment, the segment's file is closed", async () => {
  const m = machine();
  const { host } = m;
  let open = 0;
  const files = overriding(host.files, {
    createAppend: async (path) => {
      const file = await host.files.createAppend(path);
      open += 1;
      return overriding(file, {
        close: async () => {
          open -= 1;
          await file.close();
        },
      });
    },
  });
  const sessions = createSessionStore({ files, clock: host.clock, dataDir });
  host.disk.plan = failNth("rename", 1, "EIO");
  await assert.rejects(openSimulated({ ...m, wrapSessions: () => sessions }), { code: "io_failed" });
  assert.equal(open, 0);
});

test("a Pod that could not be made leaves no session behind, whichever operation failed; one that was made keeps its own", async () => {
  const sound = machine();
  await (await openSimulated(sound)).close();
  const seen = { none: 0, whole: 0 };
  for (const effect of ["EIO", "ENOSPC"] as const) {
    for (let index = 1; index <= sound.host.disk.operations; index += 1) {
      const m = machine();
      const { host, leases } = m;
      host.disk.plan = (operation) => (operation.index === index ? effect : "pass");
      const failed = await openSimulated(m).then(
        async (pod) => (await pod.close().catch(() => {}), false),
        () => true,
      );
      host.disk.plan = noFaults;
      const { pods, sessions } = simulatedStores(host, leases);
      const record = await pods.read(simulatedPod);
      const left = await host.files.list(`${dataDir}/sessions`);
      const where = `${effect} at operation ${index}`;
      if (record === null) {
        assert.ok(failed, where);
        assert.deepEqual(left, [], where);
        seen.none += 1;
      } else {
        assert.deepEqual(left, [record.pointer.session], where);
        assert.ok(record.pointer.state === "active" && (await sessions.read(record.pointer)).ready, where);
        seen.whole += 1;
      }
    }
  }
  assert.ok(seen.none > 10 && seen.whole > 5, JSON.stringify(seen));
});

test("a log that was poisoned is closed at the last entry that was acknowledged, and opens again there", async () => {
  const m = machine();
  const { host } = m;
  const pod = await openSimulated(m);
  host.disk.plan = (operation) =>
    operation.kind === "sync" && operation.path.endsWith(".jsonl") ? "EIO" : "pass";
  await assert.rejects(pod.submit([{ type: "text", text: "one" }]), { code: "log_poisoned" });
  host.disk.plan = () => "pass";
  await pod.close();
  const record = await simulatedStores(host, m.leases).pods.read(simulatedPod);
  const entries = await entriesOf(m);
  assert.deepEqual(
    entries.slice(0, (record?.closedHead?.seq ?? -1) + 1).map(({ kind }) => kind),
    ["segment_start", "segment_ready", "opened", "tools_changed"],
  );
  const again = await openSimulated(m);
  assert.equal((await again.submit([{ type: "text", text: "two" }])).outcome.kind, "finished");
  await again.close();
});

test("A3-13: the log says what a request is made of: its prompt and configuration, replayed; a change of configuration is an entry of it", async () => {
  const m = { ...machine(), prompt: "As it began.", config: configured(1_000) };
  const heads: RequestHead[] = [];
  const wrapModel = (model: Model): Model =>
    overriding(model, {
      stream: (request, options) => {
        heads.push(request.head);
        return model.stream(request, options);
      },
    });
  const first = await openSimulated({ ...m, wrapModel });
  await first.submit([{ type: "text", text: "one" }]);
  await first.close();
  const logged = replay(await entriesOf(m));
  // What a new Pod would begin with is another thing now.
  const second = await openSimulated({
    ...m,
    wrapModel,
    prompt: "As it would begin.",
    config: configured(50),
  });
  await second.submit([{ type: "text", text: "two" }]);
  await second.close();
  assert.deepEqual(
    heads.map(({ system, config }) => [system, config]),
    [
      ["As it began.", configured(1_000)],
      ["As it began.", configured(50)],
    ],
  );
  assert.deepEqual([logged.prompt, logged.config], ["As it began.", configured(1_000)]);
  const entries = await entriesOf(m);
  assert.deepEqual(
    entries.filter(isKnown).flatMap((entry) => (entry.kind === "config_changed" ? [entry.config] : [])),
    [configured(50)],
  );
  const after = replay(entries);
  assert.deepEqual([after.prompt, after.config], ["As it began.", configured(50)]);
});

function configured(tokens: number): RequestConfig {
  return { model: "scripted/sim.yaml", max_output_tokens: tokens };
}
