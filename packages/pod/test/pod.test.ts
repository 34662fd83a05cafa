/** The Pod over a simulated machine: runs, restores, and what the log says of them. */
import assert from "node:assert/strict";
import test from "node:test";
import { flattenInput, isKnown, type LogEntry } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { replay } from "@yoi/session-store";
import {
  effectTool,
  manifestOf,
  openSimulated,
  simulatedPod,
  simulatedStores,
  World,
} from "../../../test/support/simulated-pod.ts";
import { type Pod, readActive, removePod, verifyPod } from "../src/index.ts";
import { openScripted } from "../../model/src/scripted/index.ts";

const scenario = `
steps:
  - text: First an effect.
    tool_calls:
      - { name: Effect, arguments: { what: a } }
  - text: Done.
`;
const say = (text: string) => [{ type: "text", text } as const];

function machine(seed = 1) {
  const host = memoryHost({ seed });
  const leases = new Map();
  const world = new World();
  return { host, leases, world, tools: [effectTool(world, host)] };
}

async function entriesOf({ host, leases }: ReturnType<typeof machine>): Promise<readonly LogEntry[]> {
  const { view } = await readActive(simulatedStores(host, leases), simulatedPod);
  return view.entries;
}

test("a run leaves the log of exactly what happened, in order", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  const report = await pod.submit(say("go"));
  await pod.close();
  assert.deepEqual(report.outcome, { kind: "finished", text: "Done." });
  assert.equal(report.turns, 2);
  assert.deepEqual(
    (await entriesOf(m)).map((entry) => entry.kind).filter((kind) => kind !== "assistant_partial"),
    [
      "segment_start",
      "segment_ready",
      "opened",
      "tools_changed",
      "invoke",
      "user_input",
      "llm_request",
      "assistant_item",
      "assistant_item",
      "llm_usage",
      "turn_end",
      "tool_started",
      "tool_result",
      "llm_request",
      "assistant_item",
      "llm_usage",
      "turn_end",
      "run_completed",
    ],
  );
  assert.deepEqual([...m.world.effects], [["a", 1]]);
});

test("an old Pod goes on in the same log, under the next epoch, with its history", async () => {
  const m = machine();
  const first = await openSimulated({ ...m, scenario });
  await first.submit(say("go"));
  await first.close();
  const again = `${scenario}  - text: I remember.\n    expect: { items: 6 }\n`;
  const second = await openSimulated({ ...m, scenario: again });
  const report = await second.submit(say("and now"));
  await second.close();
  assert.deepEqual(report.outcome, { kind: "finished", text: "I remember." });
  const entries = await entriesOf(m);
  const epochs = entries.filter(isKnown).flatMap((entry) => (entry.kind === "opened" ? [entry.epoch] : []));
  assert.deepEqual(epochs, [1, 2]);
});

test("replay of the file equals live history (I2)", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  await pod.submit(say("go"));
  const { state } = await readActive(simulatedStores(m.host, m.leases), simulatedPod).then(({ view }) => ({
    state: replay(view.entries),
  }));
  assert.equal(state.turnCount, pod.snapshot.turns);
  assert.deepEqual(state.usage, pod.snapshot.usage);
  await pod.close();
});

test("a second process is refused while the first one holds the Pod, and told who does", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  await assert.rejects(openSimulated({ ...m, scenario }), { code: "pod_held" });
  await pod.close();
  await (await openSimulated({ ...m, scenario })).close();
});

test("there is nothing to resume after a finished run, and an empty prompt changes nothing", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  await assert.rejects(pod.submit(say("  \n")), { code: "prompt_empty" });
  await assert.rejects(pod.resume(), { code: "nothing_to_resume" });
  await pod.submit(say("go"));
  await assert.rejects(pod.resume(), { code: "nothing_to_resume" });
  await pod.close();
  assert.equal((await entriesOf(m)).filter((entry) => entry.kind === "invoke").length, 1);
});

test("a run at its turn limit goes on by resume, without a new prompt", async () => {
  const m = machine();
  const limited = manifestLimits(1);
  const first = await openSimulated({ ...m, scenario, manifest: limited });
  assert.deepEqual((await first.submit(say("go"))).outcome, {
    kind: "limit_reached",
    limit: "turns",
    max: 1,
  });
  assert.deepEqual((await first.resume()).outcome, { kind: "finished", text: "Done." });
  await first.close();
  assert.deepEqual([...m.world.effects], [["a", 1]]);
});

test("a failed run can be resumed and gives the model the same request again", async () => {
  const m = machine();
  const failing =
    "steps:\n  - failure: { kind: invalid_request, message: The provider wants nothing of it. }\n";
  const first = await openSimulated({ ...m, scenario: failing });
  const { outcome } = await first.submit(say("go"));
  assert.equal(outcome.kind, "failed");
  await first.close();
  const second = await openSimulated({ ...m, scenario });
  assert.deepEqual((await second.resume()).outcome, { kind: "finished", text: "Done." });
  await second.close();
  const inputs = (await entriesOf(m))
    .filter(isKnown)
    .flatMap((e) => (e.kind === "user_input" ? [flattenInput(e.parts)] : []));
  assert.deepEqual(inputs, ["go"]);
});

for (const stop of ["pause", "death"] as const) {
  test(`what a run was refused is in the report of its resumption by another owner, after a ${stop}`, async () => {
    const m = machine();
    const rule = { tool: "Effect", pattern: "*", action: "ask", origin: "/u/config.toml" } as const;
    const manifest = manifestOf({ permissions: { mode: "allow-in-scope", rules: [rule] } });
    let requests = 0;
    const first: Pod = await openSimulated({
      ...m,
      scenario,
      manifest,
      observer: (event) => {
        if (event.type !== "request_recorded") return;
        requests += 1;
        if (requests < 2) return;
        if (stop === "pause") first.pause();
        else m.host.crash();
      },
    });
    const running = first.submit(say("go"));
    if (stop === "pause") {
      assert.deepEqual((await running).outcome, {
        kind: "paused",
        reason: "user",
        detail: "paused by the user",
      });
      await first.close();
    } else await assert.rejects(running, { name: "HostCrashed" });
    const host = stop === "pause" ? m.host : m.host.restart();
    const second = await openSimulated({ ...m, host, scenario, manifest });
    const report = await second.resume();
    await second.close();
    assert.deepEqual(report.outcome, { kind: "finished", text: "Done." });
    assert.equal(report.permissionNeeded, true);
    assert.deepEqual(
      report.denials.map(({ tool, target, kind }) => [tool, target, kind]),
      [["Effect", '{"what":"a"}', "asked"]],
    );
    assert.equal(m.world.effects.size, 0);
  });
}

test("a cancelled run is ended, not paused; a stop of an idle Pod reaches no later run", async () => {
  const m = machine();
  const pod: Pod = await openSimulated({
    ...m,
    scenario,
    observer: (event) => {
      if (event.type === "tool_start") pod.cancel();
    },
  });
  assert.equal((await pod.submit(say("go"))).outcome.kind, "cancelled");
  assert.equal(pod.snapshot.state, "idle");
  pod.cancel();
  await pod.close();
  const last = (await entriesOf(m)).at(-1);
  assert.ok(last !== undefined && isKnown(last) && last.kind === "run_completed");
  assert.equal(last.result, "cancelled");
  const next = await openSimulated({ ...m, scenario });
  next.cancel();
  assert.equal((await next.submit(say("again"))).outcome.kind, "finished");
  await next.close();
});

test("every request is rebuilt from the log, also its body", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  await pod.submit(say("go"));
  await pod.close();
  const report = await verifyPod(simulatedStores(m.host, m.leases), simulatedPod, {
    wireRequestsMax: 500,
    openModel: async () =>
      openScripted({ name: "sim.yaml", text: scenario, ports: { timers: m.host.timers } }),
  });
  assert.deepEqual(report.problems, []);
  assert.deepEqual([report.requests, report.wireChecked], [2, 2]);
});

test("a body that cannot be rebuilt here is a problem of its own, and hides nothing else", async () => {
  const m = machine();
  const pod = await openSimulated({ ...m, scenario });
  await pod.submit(say("go"));
  await pod.close();
  const report = await verifyPod(simulatedStores(m.host, m.leases), simulatedPod, {
    wireRequestsMax: 500,
    openModel: () => Promise.reject(new Error("There is no provider scripted.")),
  });
  assert.deepEqual([report.requests, report.wireChecked, report.wireUnavailable], [2, 0, 2]);
  assert.deepEqual(report.problems, [
    {
      kind: "wire_unavailable",
      segment: pod.snapshot.segment,
      seq: 6,
      message:
        "Entry 6: bodies for scripted/sim.yaml cannot be rebuilt here, so they are neither right nor wrong: There is no provider scripted.",
    },
  ]);
});

test("a Pod with damaged metadata is removed under its lease, and its log is left", async () => {
  const m = machine();
  const stores = simulatedStores(m.host, m.leases);
  const pod = await openSimulated({ ...m, scenario });
  await pod.submit(say("go"));
  const { session, segment } = pod.snapshot;
  const removing = (before: string[] = []) =>
    removePod(stores, simulatedPod, async (name) => void before.push(name));
  await assert.rejects(removing(), { code: "pod_held" });
  await pod.close();
  const path = stores.pods.pathOf(simulatedPod);
  await m.host.files.replace(path, Buffer.from("{ not json"));
  const ends: string[] = [];
  const removed = await removing(ends);
  assert.equal(removed.session, null);
  assert.match(removed.damage ?? "", /is damaged at byte/);
  assert.deepEqual(ends, [simulatedPod], "what else is of the Pod goes under the lease");
  assert.deepEqual(await stores.pods.list(), []);
  assert.ok((await stores.sessions.read({ session, segment })).ready, "the log stays");
  await assert.rejects(removing(), { code: "pod_unknown" });
});

test("a removed Pod takes its log along", async () => {
  const m = machine();
  const stores = simulatedStores(m.host, m.leases);
  const pod = await openSimulated({ ...m, scenario });
  const { session, segment } = pod.snapshot;
  await pod.close();
  const removed = await removePod(stores, simulatedPod, async () => {
    await assert.rejects(stores.lease.acquire(simulatedPod, "run"), { code: "pod_held" });
  });
  assert.deepEqual(removed, { name: simulatedPod, session, damage: null });
  await assert.rejects(stores.sessions.read({ session, segment }), { code: "io_failed" });
  await (await stores.lease.acquire(simulatedPod, "run")).release();
});

function manifestLimits(maxTurns: number) {
  return {
    ...manifestOf(),
    limits: { max_turns: maxTurns, tool_output_bytes: 65_536, file_upload_bytes: 262_144 },
  };
}
