/** What a lost registry is made from: live Pods with their ceiling, and every open loan. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, type PodName, sessionId, YoiError } from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { manifestToJson } from "@yoi/manifest";
import { createMemoryLease, createPodStore, hostPurpose, type LeaseTable } from "@yoi/pod-store";
import { manifestOf } from "../../../../test/support/simulated-pod.ts";
import { heldNow, holdersNow, isLentNow, unregisteredMs } from "../../src/compose/allocations.ts";
import { socketPathIn } from "../../src/runtime/runtime.ts";

test("live Pods with what their manifest lets them, loans with what they lend, dead Pods not at all", async () => {
  const host = memoryHost({ seed: 1 });
  const { files, clock, processes, ids } = host;
  const table: LeaseTable = new Map();
  const pods = createPodStore({ files, clock, dataDir: "/data" });
  const lease = createMemoryLease({ table, clock, processes, runtimeDir: "/run" });
  const manifest = manifestToJson(manifestOf());
  const [lead, kid, stopped, dead] = ["lead", "kid", "stopped", "dead"].map((name) => podName(name)) as [
    PodName,
    PodName,
    PodName,
    PodName,
  ];
  const sessions = new Map([lead, kid, stopped, dead].map((name) => [name, sessionId(ids.uuidV7())]));
  const session = (name: PodName) => sessions.get(name) ?? assert.fail(name);
  for (const name of [lead, kid, stopped, dead])
    await pods.create({ name, pointer: { state: "pending", session: session(name) }, manifest });
  const loanIds = new Map([kid, stopped, dead].map((name) => [name, ids.uuidV7()]));
  const idOf = (name: PodName) => loanIds.get(name) ?? assert.fail(name);
  const loanOf = (name: PodName) => ({
    id: idOf(name),
    scope: { allow: [{ target: `/w/${name}`, permission: "write" as const, recursive: true }], deny: [] },
  });
  for (const name of [kid, stopped]) {
    const record = (await pods.read(lead)) ?? assert.fail();
    const loan = loanOf(name);
    await pods.putChild(lead, record, {
      name,
      state: "live",
      loan,
      session: session(name),
      tokenDigest: "0".repeat(64),
      socket: null,
      callback: null,
      sinceMs: 1,
    });
  }
  await lease.acquire(lead, hostPurpose);
  await lease.acquire(kid, "run");
  // As somebody who begins, ends or removes them: nobody is these Pods.
  await lease.acquire(stopped, "spawn");
  await lease.acquire(dead, "rm");
  const owner = processes.self();
  const pending = { segment: null, epoch: 0 };
  assert.deepEqual(
    (await heldNow({ pods, lease })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    [
      {
        name: kid,
        owner,
        socket: null,
        scope: loanOf(kid).scope,
        delegatedFrom: lead,
        loan: idOf(kid),
        ...pending,
      },
      {
        name: lead,
        owner,
        socket: socketPathIn("/run", lead),
        scope: manifestOf().scope,
        delegatedFrom: null,
        loan: null,
        ...pending,
      },
      {
        name: stopped,
        owner: null,
        socket: null,
        scope: loanOf(stopped).scope,
        delegatedFrom: lead,
        loan: idOf(stopped),
        ...pending,
      },
    ],
  );
  const asked = await Promise.all([
    isLentNow({ pods, lease }, lead, kid, idOf(kid)),
    isLentNow({ pods, lease }, lead, kid, "another"),
    isLentNow({ pods, lease }, lead, dead, idOf(dead)),
    isLentNow({ pods, lease }, podName("nobody"), kid, idOf(kid)),
  ]);
  assert.deepEqual(asked, [true, false, false, false]);
  // Those that run and should have their rows: neither who only begins or ends one, nor one that has just got its lease.
  const holders = (files: readonly string[]) =>
    holdersNow({ lease, clock, files: { list: async () => files }, locks: "/data/locks" });
  const hints = [lead, kid, stopped, dead].map((name) => `${name}.owner`);
  assert.deepEqual(await holders(hints), []);
  await host.advance(unregisteredMs - 1);
  assert.deepEqual(await holders(hints), []);
  await host.advance(1);
  assert.deepEqual(await holders([...hints, "lead.sqlite", "not a name.owner"]), [
    { name: lead, owner },
    { name: kid, owner },
  ]);
  // What is unknown stays lent.
  await files.replace(pods.pathOf(lead), Buffer.from("{"));
  await assert.rejects(pods.read(lead), YoiError);
  assert.equal(await isLentNow({ pods, lease }, lead, kid, "another"), true);
});
