/** What a Pod is told of its children and peers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, sessionId, YoiError } from "@yoi/base";
import type { ManagedPod } from "@yoi/feature";
import { childrenMax } from "@yoi/pod-store";
import { type KinPorts, listKin, lookedAtMax } from "../../src/discovery/kin.ts";
import { probesMs } from "../../src/spawn/live-state.ts";
import { childRecord, machine, uuid, writes } from "./family.ts";

type Machine = ReturnType<typeof machine>;

const idle = { state: "idle", approvals: 0 } as const;

async function kinOf(
  { host, stores, now }: Machine,
  probe: KinPorts["probe"] = async () => idle,
): Promise<readonly ManagedPod[]> {
  const { pods, lease } = stores;
  const ports = { pods, lease, timers: host.timers, probe, socketOf: (name: string) => `/s/${name}` };
  return listKin({ record: await now("lead"), now: { state: "running", approvals: 1 } }, ports);
}

const brief = (list: readonly ManagedPod[]) =>
  list.map(({ name, relation, metadata, state, loan, restorable }) =>
    [name, relation, metadata, state, loan, restorable].join(" "),
  );

test("a Pod sees itself, its children and its peers, and no other Pod of the machine", async () => {
  const home = machine();
  await home.pod("lead");
  const child = await home.child("lead", "a", "/w/src/a");
  await home.pod("stranger");
  await home.pod("friend");
  await home.peers("lead", "friend");
  home.hold("a");
  const list = await kinOf(home, async (name) => ({ state: "paused", approvals: name === "a" ? 2 : 9 }));
  assert.deepEqual(list, [
    {
      name: "lead",
      relation: "self",
      metadata: "readable",
      state: "running",
      session: uuid(1),
      segment: null,
      socket: "/s/lead",
      scope: [],
      loan: null,
      restorable: false,
      reason: "it is this Pod",
      approvals: 1,
      children: 1,
    },
    {
      name: "a",
      relation: "child",
      metadata: "readable",
      state: "paused",
      session: child.session,
      segment: null,
      socket: "/s/a",
      scope: [writes("/w/src/a")],
      loan: "open",
      restorable: false,
      reason: "a process holds it",
      approvals: 2,
      children: 0,
    },
    {
      name: "friend",
      relation: "peer",
      metadata: "readable",
      state: "stopped",
      session: uuid(4),
      segment: null,
      socket: null,
      scope: [],
      loan: null,
      restorable: false,
      reason: "a peer is started by the user",
      approvals: 0,
      children: 0,
    },
  ]);
});

test("A3-25: a child that nobody hosts any more keeps its metadata and its record, with the socket last known, and can be restored", async () => {
  const home = machine();
  await home.pod("lead");
  await home.child("lead", "a", "/w/src/a");
  const path = home.stores.pods.pathOf(podName("a"));
  const before = [await home.host.files.read(path), await home.now("lead")];
  for (const _ of [1, 2]) {
    const [, child] = await kinOf(home, async () => null);
    assert.deepEqual(
      [child?.state, child?.socket, child?.restorable, child?.reason, child?.loan],
      ["stopped", "/run/s/a", true, null, "open"],
    );
  }
  home.hold("a");
  const [, unreachable] = await kinOf(home, async () => null);
  assert.deepEqual([unreachable?.state, unreachable?.restorable], ["unknown", false]);
  assert.deepEqual([await home.host.files.read(path), await home.now("lead")], before);
});

test("children whose loan came back stay visible, say why, and can be restored (W-47)", async () => {
  const home = machine();
  await home.pod("lead");
  for (const [name, reason] of [
    ["z", "stopped"],
    ["b", "lost"],
    ["c", "not_started"],
  ] as const) {
    await home.child("lead", name, `/w/${name}`);
    await home.stores.pods.reclaimChild(podName("lead"), await home.now("lead"), podName(name), {
      reason,
      atMs: 1,
    });
  }
  await home.child("lead", "open", "/w/open");
  assert.deepEqual(brief(await kinOf(home)), [
    "lead self readable running  false",
    "open child readable stopped open true",
    "b child readable stopped lost true",
    "c child readable stopped not_started true",
    "z child readable stopped stopped true",
  ]);
});

test("metadata that is damaged, gone, or another Pod's marks its own item, and says why", async () => {
  const home = machine();
  await home.pod("lead");
  for (const name of ["bad", "fine", "gone", "other"]) await home.child("lead", name, `/w/${name}`);
  await home.damage("bad");
  await home.stores.pods.remove(podName("gone"));
  await home.stores.pods.remove(podName("other"));
  await home.pod("other");
  home.hold("other");
  home.hold("bad");
  const list = await kinOf(home);
  assert.deepEqual(brief(list), [
    "lead self readable running  false",
    // Whatever is in its metadata, what lives lives.
    "bad child corrupt idle open false",
    "fine child readable stopped open true",
    "gone child missing stopped open false",
    "other child missing stopped open false",
  ]);
  assert.match(list[1]?.reason ?? "", /^The metadata of the Pod bad is damaged at byte 1 of /);
  assert.equal(list[3]?.reason, "there is no Pod named gone any more");
  assert.equal(list[4]?.reason, "another Pod has the name other now");
});

test("a Pod that a run holds, or that fails to answer, is unknown", async () => {
  const home = machine();
  await home.pod("lead");
  await home.child("lead", "held", "/w/held");
  await home.child("lead", "mute", "/w/mute");
  home.hold("held", "run");
  home.hold("mute");
  const asked: string[] = [];
  const list = await kinOf(home, async (name) => {
    asked.push(name);
    throw new YoiError("pod_unreachable", "It does not answer.");
  });
  assert.deepEqual([list[1]?.state, list[2]?.state, asked], ["unknown", "unknown", ["mute"]]);
});

test("a peer is the Pod that was made one, while each has the other: its name alone shows nothing", async () => {
  const home = machine();
  for (const name of ["lead", "b", "c", "d"]) {
    await home.pod(name);
    if (name !== "lead") await home.peers("lead", name);
  }
  const { pods } = home.stores;
  await pods.remove(podName("b"));
  await home.pod("b");
  home.hold("b");
  await pods.setPeer(podName("c"), await home.now("c"), podName("lead"), null);
  await pods.remove(podName("d"));
  const list = await kinOf(home, async () => ({ state: "running", approvals: 7 }));
  assert.deepEqual(
    list
      .slice(1)
      .map(({ name, metadata, state, session, approvals, reason }) => [
        name,
        metadata,
        state,
        session !== null,
        approvals,
        reason,
      ]),
    [
      ["b", "missing", "stopped", false, 0, "another Pod has the name b now"],
      ["c", "readable", "stopped", true, 0, "c does not have lead as its peer"],
      ["d", "missing", "stopped", false, 0, "there is no Pod named d any more"],
    ],
  );
});

test("Pods that hang are asked some at a time, and hold the list up for one second in all (W-50)", async () => {
  const home = machine();
  await home.pod("lead");
  for (let n = 0; n < childrenMax; n += 1) {
    const record = childRecord(podName(`c${n}`), sessionId(uuid(0x100 + n)), `/w/${n}`, n);
    await home.stores.pods.putChild(podName("lead"), await home.now("lead"), record);
  }
  const names = Array.from({ length: 40 }, (_, n) => `p${n}`);
  for (const name of names) {
    await home.pod(name);
    await home.peers("lead", name);
    home.hold(name);
  }
  let asked = 0;
  const signals: AbortSignal[] = [];
  const list = kinOf(home, (_, signal) => {
    asked += 1;
    signals.push(signal);
    return new Promise(() => {});
  });
  const startedMs = home.host.clock.monotonic();
  await home.host.advance(probesMs - 1);
  assert.equal(asked, lookedAtMax);
  assert.ok(signals.every((signal) => !signal.aborted));
  await home.host.advance(1);
  const states = (await list).filter(({ relation }) => relation === "peer").map(({ state }) => state);
  assert.deepEqual(new Set(states), new Set(["unknown"]));
  assert.deepEqual([states.length, asked], [40, lookedAtMax]);
  assert.equal(home.host.clock.monotonic() - startedMs, probesMs);
  assert.ok(signals.every((signal) => signal.aborted));
});
