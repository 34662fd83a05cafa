/** What Pods used: totals equal the sum of every record, whatever became of history; and what does not add up is said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addSpent,
  type EntryBody,
  noSpent,
  type PodName,
  type SegmentStart,
  type Spent,
  YoiError,
} from "@yoi/base";
import { memoryHost } from "@yoi/host";
import { segmentPath } from "@yoi/session-store";
import { dataDir, simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { podTree, podUsage, type PodUsage, totalSpent, treeSpent } from "../../src/index.ts";
import { ChildrenSpent } from "../../src/spawn/children-spent.ts";
import { childrenSpentDomain } from "../../src/usage/children-record.ts";
import { childRecord } from "./family.ts";
import { randomOf, spendingFamily, SpendingPod } from "./spending-family.ts";

const seed = 20_261_122;
const cases = 12;
const everything = { name: null, tree: true, verify: true };

function flat(pods: readonly PodUsage[]): readonly PodUsage[] {
  return pods.flatMap((pod) => [pod, ...flat(pod.children)]);
}

test(`totals of a random tree equal the sum of its records, and its logs say the same (seed ${seed}, ${cases} trees)`, async () => {
  let segments = 0;
  for (let n = 0; n < cases; n += 1) {
    const { host, all } = await spendingFamily(seed + n);
    const pods = await podUsage(simulatedStores(host, new Map()), everything);
    for (const { name, sum, spent } of all) {
      const found = flat(pods).find((pod) => pod.name === name);
      assert.deepEqual(found?.spent, sum, `seed ${seed + n}, ${name}`);
      assert.deepEqual(spent, sum, `seed ${seed + n}, the fold of ${name}`);
      assert.deepEqual([found?.problems, found?.error], [[], null], `seed ${seed + n}, ${name}`);
      segments += found?.segments.length ?? 0;
    }
    assert.deepEqual(
      totalSpent(pods),
      all.reduce((total, { sum }) => addSpent(total, sum), noSpent),
    );
  }
  assert.ok(segments > 5 * cases, `${segments} segments in ${cases} trees test too little`);
});

const solo = async () => {
  const host = memoryHost({ seed: 1 });
  const pod = await new SpendingPod(host, "solo", randomOf(4)).begin();
  await pod.work();
  await pod.compact("failed");
  await pod.compact("committed");
  await pod.work();
  return { host, pod, stores: simulatedStores(host, new Map()) };
};

test("each segment is listed with its part, and counts its own records only", async () => {
  const { pod, stores } = await solo();
  const [found] = await podUsage(stores, { name: "solo", tree: false, verify: false });
  assert.deepEqual(
    found?.segments.map(({ part, generation }) => [part, generation]),
    [
      ["left", 0],
      ["compactor", 0],
      ["compactor", 0],
      ["active", 1],
    ],
  );
  assert.deepEqual(
    found?.segments.reduce((sum, { spent }) => addSpent(sum, spent), noSpent),
    pod.sum,
  );
});

test("a start and a compactor's total that are not what the records say are told; a name that nobody has is refused", async () => {
  const { stores } = await solo();
  const change = (wanted: EntryBody["kind"], changed: (entry: EntryBody) => EntryBody) => {
    const readBehind: typeof stores.sessions.readBehind = async function* (ref, seq) {
      for await (const { entries, damage } of stores.sessions.readBehind(ref, seq)) {
        const put = entries.map((entry) =>
          entry.kind === wanted ? ({ ...entry, ...changed(entry as EntryBody) } as typeof entry) : entry,
        );
        yield { entries: put, damage };
      }
    };
    const read: typeof stores.sessions.read = async (ref) => {
      const view = await stores.sessions.read(ref);
      const entries = view.entries.map((entry) =>
        entry.kind === wanted && entry.kind === "segment_start"
          ? ({ ...entry, ...changed(entry as EntryBody) } as typeof entry)
          : entry,
      );
      return { ...view, entries };
    };
    const listSegments = stores.sessions.listSegments.bind(stores.sessions);
    const bound = { listSegments, read, readBehind };
    return podUsage({ pods: stores.pods, sessions: bound }, everything);
  };
  const problemsOf = async (...given: Parameters<typeof change>) =>
    (await change(...given))[0]?.problems ?? [];
  assert.deepEqual(await problemsOf("opened", (entry) => entry), []);
  const more = { ...noSpent, requests: 1 };
  const start = await problemsOf("segment_start", (entry) => {
    const { spent = noSpent } = entry as SegmentStart;
    return { ...(entry as SegmentStart), spent: spent === noSpent ? spent : addSpent(spent, more) };
  });
  assert.match(start.join("\n"), /^The start of generation 1 says \d+ requests.*add up to \d+ requests/m);
  const usage = await problemsOf("turn_end", () => ({ kind: "compaction_begun" }) as EntryBody);
  assert.match(usage.join("\n"), /The active segment's fold says/);
  assert.match(usage.join("\n"), /What is on record of the compactor/);
  const compactor = "01a203bf-7633-754a-8f2a-f6922e2850b2";
  const compactorOf = (spent: Spent) =>
    problemsOf(
      "turn_end",
      () => ({ kind: "compacted", outcome: "interrupted", compactor, spent }) as EntryBody,
    );
  const never = /compactor 01a203bf-\S+ cannot be held against its records: its segment is not there/;
  assert.match((await compactorOf(more)).join("\n"), never);
  assert.doesNotMatch((await compactorOf(noSpent)).join("\n"), never);
  await assert.rejects(
    podUsage(stores, { ...everything, name: "nobody" }),
    (error: unknown) => error instanceof YoiError && error.code === "pod_unknown",
  );
});

test("damage is said, and what is before it counts", async () => {
  const { host, pod, stores } = await solo();
  const record = await stores.pods.read(pod.name);
  assert.ok(record !== null && record.pointer.state === "active");
  const path = segmentPath(dataDir, record.pointer);
  const whole = await host.files.read(path);
  const lines = Buffer.from(whole ?? [])
    .toString()
    .split("\n");
  lines[3] = `${lines[3]?.slice(0, -30)}x${lines[3]?.slice(-29)}`;
  await host.files.replace(path, Buffer.from(lines.join("\n")));
  const [found] = await podUsage(stores, { name: "solo", tree: false, verify: false });
  assert.match(
    found?.error ?? "",
    /^The log .* of the Pod solo is damaged at byte \d+ .*: what it used is counted up to there\.$/,
  );
  assert.ok((found?.spent?.run_ms ?? 0) < pod.sum.run_ms);
});

/** `lead` with `a`, whose loan came back, and below it `aa`. */
async function removable() {
  const { host, pods, lead, a, b, aa } = await spendingFamily(3);
  for (const pod of [lead, a, aa]) await pod.work();
  const stores = simulatedStores(host, new Map());
  const recordOf = async (name: PodName) => {
    const found = await pods.read(name);
    assert.ok(found !== null);
    return found;
  };
  const put = async (parent: SpendingPod, child: SpendingPod, n: number) =>
    pods.putChild(
      parent.name,
      await recordOf(parent.name),
      childRecord(child.name, child.session, `/w/${child.name}`, n),
    );
  await put(lead, a, 1);
  await put(lead, b, 3);
  await put(a, aa, 2);
  return { stores, pods, lead, a, aa, recordOf };
}

test("what a removed child used is what its parent has on record, in the tree's sum too; without that nobody knows it", async () => {
  const { stores, pods, lead, a, aa, recordOf } = await removable();
  const children = new ChildrenSpent(stores, null);
  const { children: below, reclaimed } = await recordOf(lead.name);
  await children.lookAt({ children: below.filter(({ name }) => name === a.name), reclaimed });
  const payload = children.record([]);
  await pods.reclaimChild(lead.name, await recordOf(lead.name), a.name, { reason: "stopped", atMs: 1 });
  for (const { name } of [a, aa]) await pods.remove(name);
  const look = async () => {
    const [found] = await podUsage(stores, { name: "lead", tree: true, verify: true });
    const removed = found?.children.find(({ name }) => name === a.name);
    return { removed, tree: await treeSpent(stores, lead.name), total: totalSpent(found ? [found] : []) };
  };
  const before = await look();
  const inTree = async () =>
    (await podTree(stores, "lead"))[0]?.children.find(({ name }) => name === a.name)?.spent;
  assert.equal(await inTree(), null);
  assert.deepEqual([before.removed?.spent, before.removed?.removed], [null, true]);
  assert.match(before.removed?.error ?? "", /nobody knows what it used/);
  await lead.rotate([{ kind: "extension", domain: childrenSpentDomain, payload }]);
  const after = await look();
  const both = addSpent(a.sum, aa.sum);
  assert.deepEqual([after.removed?.spent, after.removed?.error], [both, null]);
  assert.deepEqual(after.tree, after.total);
  const { turns, usage } = both;
  const cost = { nano_usd: both.cost_nano_usd, unpriced_requests: both.unpriced_requests };
  assert.deepEqual(await inTree(), { turns, usage, cost });
  assert.deepEqual(totalSpent([after.removed ?? assert.fail()]), both);
});

test("a Pod that works while it is looked at is no false alarm", async () => {
  const { pod, stores } = await solo();
  const { sessions } = stores;
  const working: Parameters<typeof podUsage>[0]["sessions"] = {
    readBehind: sessions.readBehind.bind(sessions),
    read: async (ref) => {
      await pod.work();
      return sessions.read(ref);
    },
    listSegments: async (session) => {
      await pod.work();
      return sessions.listSegments(session);
    },
  };
  const before = pod.sum.requests;
  const [found] = await podUsage({ pods: stores.pods, sessions: working }, everything);
  assert.deepEqual([found?.problems, found?.error], [[], null]);
  assert.ok(pod.sum.requests > before);
});
