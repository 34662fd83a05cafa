/** The tree of Pods: from metadata, leases and logs, without a Pod. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, segmentId, sessionId, YoiError } from "@yoi/base";
import { simulatedPod } from "../../../../test/support/simulated-pod.ts";
import { listPods, podTree, type TreePod } from "../../src/index.ts";
import { logsAtOnceMax } from "../../src/discovery/tree.ts";
import { childRecord, machine, ranOnce, uuid, writes } from "./family.ts";

/** Each Pod as a line, indented as deep as it stands. */
function lines(pods: readonly TreePod[], depth = 0): readonly string[] {
  return pods.flatMap((pod) => [
    `${"  ".repeat(depth)}${pod.name} ${pod.state} ${pod.standing.kind}`,
    ...lines(pod.children, depth + 1),
  ]);
}

test("children stand below their parents, also where the loan came back; each holds what it was lent", async () => {
  const home = machine();
  await home.pod("solo");
  await home.pod("lead");
  await home.child("lead", "b", "/w/src/b");
  await home.child("lead", "a", "/w/src/a");
  await home.child("a", "aa", "/w/src/a/deep");
  await home.stores.pods.reclaimChild(podName("lead"), await home.now("lead"), podName("b"), {
    reason: "lost",
    atMs: 7,
  });
  home.hold("a");
  home.hold("lead", "run");
  const roots = await podTree(home.stores, null);
  assert.deepEqual(lines(roots), [
    "lead live own",
    "  a live lent",
    "    aa pending lent",
    "  b pending reclaimed",
    "solo pending own",
  ]);
  const [lead] = roots;
  const [a, b] = lead?.children ?? [];
  assert.deepEqual(
    [
      lead?.lent.map(({ child, loan }) => [child, loan.scope.allow]),
      lead?.ceiling?.allow,
      lead?.ownerPurpose,
    ],
    [[["a", [writes("/w/src/a")]]], [writes("/w")], "run"],
  );
  assert.deepEqual(
    [a?.ceiling, a?.lent.length, a?.ownerPurpose],
    [{ allow: [writes("/w/src/a")], deny: [] }, 1, "host"],
  );
  assert.deepEqual([b?.ceiling, b?.error], [null, null]);
  assert.ok(b?.standing.kind === "reclaimed" && b.standing.child?.reason === "lost");
  assert.deepEqual(lines(await podTree(home.stores, "a")), ["a live lent", "  aa pending lent"]);
  await assert.rejects(podTree(home.stores, "none"), { code: "pod_unknown" });
});

test("one that is damaged, newer or gone marks its own line, below the parent that knows it", async () => {
  const home = machine();
  await home.pod("lead");
  for (const name of ["bad", "fine", "gone", "removed", "unbegun"])
    await home.child("lead", name, `/w/${name}`);
  await home.child("bad", "below", "/w/bad/below");
  await home.damage("bad");
  await home.stores.pods.remove(podName("gone"));
  for (const [name, reason] of [
    ["removed", "stopped"],
    ["unbegun", "not_started"],
  ] as const) {
    await home.stores.pods.remove(podName(name));
    const now = await home.now("lead");
    await home.stores.pods.reclaimChild(podName("lead"), now, podName(name), { reason, atMs: 1 });
  }
  const roots = await podTree(home.stores, null);
  assert.deepEqual(lines(roots), [
    "lead pending own",
    "  bad damaged lent",
    "    below pending unclear",
    "  fine pending lent",
    "  gone missing lent",
    "  removed missing reclaimed",
    "  unbegun missing reclaimed",
  ]);
  const [bad, , gone, removed, unbegun] = roots[0]?.children ?? [];
  assert.match(bad?.error ?? "", /^The metadata of the Pod bad is damaged at byte 1 of /);
  assert.equal(gone?.error, "There is no Pod named gone any more.");
  const errors = [removed?.error, unbegun?.error];
  assert.deepEqual(errors, [null, null], "whose loan came back may be removed: no fault");
  await assert.rejects(podTree(home.stores, "gone"), { code: "pod_unknown" });
});

test("a child of a Pod that is gone, or whose name another one has now, stands alone; links in a circle lose nobody", async () => {
  const home = machine();
  await home.pod("lead");
  await home.child("lead", "a", "/w/a");
  await home.stores.pods.remove(podName("lead"));
  assert.deepEqual(lines(await podTree(home.stores, null)), ["a pending orphan"]);
  await home.pod("lead");
  assert.deepEqual(lines(await podTree(home.stores, null)), ["a pending orphan", "lead pending own"]);

  const round = machine();
  const link = (pod: string, n: number) => ({
    pod: podName(pod),
    session: sessionId(uuid(n)),
    depth: 1,
    token: "t",
  });
  await round.pod("x", link("y", 2));
  await round.pod("y", link("x", 1));
  await round.pod("z", link("z", 3));
  const names = lines(await podTree(round.stores, null)).map((line) => line.trim().split(" ")[0]);
  assert.deepEqual(names.toSorted(), ["x", "y", "z"]);
});

test("what each used is counted from its log", async () => {
  const home = await ranOnce();
  const record = await home.now(simulatedPod);
  await home.stores.pods.putChild(
    simulatedPod,
    record,
    childRecord(podName("a"), sessionId(uuid(9)), "/w/a", 1),
  );
  const [sim] = await podTree(home.stores, null);
  assert.deepEqual(
    [sim?.name, sim?.state, sim?.spent?.turns, sim?.children.map(({ state }) => state)],
    [simulatedPod, "idle", 1, ["missing"]],
  );
  assert.ok((sim?.spent?.usage.output_tokens ?? 0) > 0);
});

test("a Pod whose metadata is damaged while it lives is listed as living, in the tree and in the list", async () => {
  const home = machine();
  await home.pod("lead");
  await home.pod("gone");
  home.hold("lead");
  await home.damage("lead");
  await home.damage("gone");
  const { pid } = home.host.processes.self();
  const stores = { ...home.stores, sessions: { ...home.stores.sessions, writtenMs: async () => null } };
  const seen = [...(await podTree(home.stores, null)), ...(await listPods(stores))];
  assert.deepEqual(
    seen.map(({ name, ownerPid, ownerPurpose }) => [name, ownerPid, ownerPurpose]),
    [1, 2].flatMap(() => [
      ["gone", null, null],
      ["lead", pid, "host"],
    ]),
  );
});

test(`logs are read ${logsAtOnceMax} at a time`, async () => {
  for (const [pods, atOnce] of [
    [logsAtOnceMax, logsAtOnceMax],
    [logsAtOnceMax + 1, logsAtOnceMax],
  ] as const) {
    const home = machine();
    for (let n = 0; n < pods; n += 1) {
      const { name, pointer, ...at } = await home.pod(`p${n}`);
      const segment = segmentId(uuid(0x900 + n));
      await home.stores.pods.update(name, at, { pointer: { ...pointer, state: "active", segment } });
    }
    let reading = 0;
    let most = 0;
    const read = async (): Promise<never> => {
      reading += 1;
      most = Math.max(most, reading);
      await new Promise((resolve) => setImmediate(resolve));
      reading -= 1;
      throw new YoiError("log_damaged", "It is not there.");
    };
    const tree = await podTree({ ...home.stores, sessions: { read } }, null);
    assert.deepEqual([tree.length, most], [pods, atOnce]);
  }
});

test("a child that was told to write less than its loan holds that", async () => {
  const home = machine();
  await home.pod("lead");
  await home.child("lead", "a", "/w/a");
  const record = await home.now("a");
  await home.stores.pods.update(record.name, record, { manifest: { ...record.manifest, writes: [] } });
  const [lead] = await podTree(home.stores, null);
  assert.deepEqual(lead?.children[0]?.ceiling?.allow, [{ ...writes("/w/a"), permission: "read" }]);
});
