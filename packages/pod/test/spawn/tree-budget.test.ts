/** What children use counts against the budget of their parent: as their logs say it now, for good, and in what is left for another child. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addSpent, type Budget, type EntryBody, type JsonValue, noBudget, noSpent, usedOf } from "@yoi/base";
import { createReplay } from "@yoi/session-store";
import { ChildrenSpent } from "../../src/spawn/children-spent.ts";
import { TreeBudget } from "../../src/spawn/tree-budget.ts";
import { childrenSpentDomain } from "../../src/usage/children-record.ts";
import { simulatedStores } from "../../../../test/support/simulated-pod.ts";
import { childRecord } from "../discovery/family.ts";
import { spendingFamily, type SpendingPod } from "../discovery/spending-family.ts";

/** `lead` with the open loans of `a` and `b`; below `a` is `aa`. */
async function family(seed = 3) {
  const { host, pods, lead, a, b, aa } = await spendingFamily(seed);
  for (const pod of [lead, a, b, aa]) await pod.work();
  const put = async (parent: SpendingPod, child: SpendingPod, n: number) => {
    const record = await pods.read(parent.name);
    assert.ok(record !== null);
    await pods.putChild(parent.name, record, childRecord(child.name, child.session, `/w/${child.name}`, n));
  };
  await put(lead, a, 1);
  await put(lead, b, 2);
  await put(a, aa, 3);
  const stores = simulatedStores(host, new Map());
  const record = async () => {
    const found = await pods.read(lead.name);
    assert.ok(found !== null);
    return found;
  };
  const reclaim = async (child: SpendingPod) =>
    void (await pods.reclaimChild(lead.name, await record(), child.name, { reason: "stopped", atMs: 1 }));
  return { stores, pods, lead, a, b, aa, record, reclaim };
}

const sumOf = (pods: readonly SpendingPod[]) => pods.reduce((sum, pod) => addSpent(sum, pod.sum), noSpent);

describe("what children used", () => {
  test("is what their logs and those below them say, also behind what they do next", async () => {
    const { stores, a, b, aa, record } = await family();
    const children = new ChildrenSpent(stores, null);
    await children.lookAt(await record());
    assert.deepEqual(children.total, sumOf([a, b, aa]));
    await aa.work();
    await b.compact("committed");
    await b.work();
    // Two looks at a time count nothing twice.
    await Promise.all([children.lookAt(await record()), children.lookAt(await record())]);
    assert.deepEqual(children.total, sumOf([a, b, aa]));
    assert.deepEqual(await children.of({ name: a.name, session: a.session }), sumOf([a, aa]));
  });

  test("counts for good where a loan came back and the child is removed, over a restart too", async () => {
    const { stores, pods, a, b, aa, record, reclaim } = await family();
    const before = new ChildrenSpent(stores, null);
    await before.lookAt(await record());
    await reclaim(a);
    const recorded = before.record((await record()).children);
    assert.deepEqual(Object.keys(recorded["sessions"] as object), [a.session]);
    for (const { name } of [a, aa]) await pods.remove(name);
    const after = new ChildrenSpent(stores, recorded);
    await after.lookAt(await record());
    assert.deepEqual(after.total, sumOf([a, b, aa]));
    // Control: without the record it is forgotten.
    const without = new ChildrenSpent(stores, null);
    await without.lookAt(await record());
    assert.deepEqual(without.total, b.sum);
  });

  test("below a child counts too where a grandchild is removed, over a restart", async () => {
    const { stores, pods, a, b, aa, record } = await family();
    const ofA = new ChildrenSpent(stores, null);
    const recordOfA = await pods.read(a.name);
    assert.ok(recordOfA !== null);
    await ofA.lookAt(recordOfA);
    await pods.reclaimChild(a.name, recordOfA, aa.name, { reason: "stopped", atMs: 1 });
    await a.rotate([{ kind: "extension", domain: childrenSpentDomain, payload: ofA.record([]) }]);
    await pods.remove(aa.name);
    const children = new ChildrenSpent(stores, null);
    await children.lookAt(await record());
    assert.deepEqual(children.total, sumOf([a, b, aa]));
  });

  test("of children that the Pod does not keep in mind any more, one sum is on record", async () => {
    const { stores, record } = await family();
    const one = { ...noSpent, requests: 1, turns: 2, estimated_tokens: 3 };
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`s-${n}`, { ...one }]));
    const before = new ChildrenSpent(stores, { sessions: many } as unknown as JsonValue);
    await before.lookAt(await record());
    const { children } = await record();
    const recorded = before.record(children);
    const earlier = { ...noSpent, requests: 1_000, turns: 2_000, estimated_tokens: 3_000 };
    assert.deepEqual(recorded, { sessions: {}, earlier });
    const after = new ChildrenSpent(stores, recorded);
    assert.deepEqual(after.total, earlier);
    await after.lookAt(await record());
    assert.deepEqual(after.total, before.total);
    assert.deepEqual(after.record(children), recorded);
  });

  test("a Pod that has the name of one that was removed is not the child", async () => {
    const { stores, pods, a, b, aa, record } = await family();
    await pods.remove(a.name);
    await pods.create({
      name: a.name,
      pointer: { state: "pending", session: b.session },
      manifest: {},
    });
    const children = new ChildrenSpent(stores, null);
    await children.lookAt(await record());
    assert.deepEqual(children.total, b.sum);
    assert.ok(aa.sum.requests > 0);
  });
});

describe("the budget of the tree", () => {
  const budgetOf = async (budget: Budget) => {
    const made = await family();
    const { stores, lead } = made;
    const replay = createReplay();
    const record = await made.record();
    assert.ok(record.pointer.state === "active");
    for (const entry of (await stores.sessions.read(record.pointer)).entries) replay.apply(entry);
    const appended: EntryBody[] = [];
    const warnings: string[] = [];
    const extensions = new Map(replay.state.extensions);
    const state = { spent: replay.state.spent, extensions };
    let current = record;
    const tree = new TreeBudget({
      ...stores,
      budget,
      gate: {
        state,
        append: async (bodies) => {
          appended.push(...bodies);
          for (const body of bodies) if (body.kind === "extension") extensions.set(body.domain, body.payload);
          return [];
        },
      },
      record: {
        get current() {
          return current;
        },
      },
      warn: (text) => warnings.push(text),
    });
    const again = async () => (current = await made.record());
    return { ...made, tree, appended, warnings, again, all: [lead, made.a, made.b, made.aa] };
  };
  test("counts the Pod and all below it, and is reached at what they used", async () => {
    const sum = sumOf((await budgetOf(noBudget)).all);
    const tokens = usedOf("max_tokens", sum);
    const reached = await budgetOf({ ...noBudget, max_tokens: tokens });
    assert.deepEqual(await reached.tree.reached(), { key: "max_tokens", max: tokens, used: tokens });
    const room = await budgetOf({ ...noBudget, max_tokens: tokens + 1 });
    assert.equal(await room.tree.reached(), null);
    const beside = { ...noSpent, usage: { ...noSpent.usage, output_tokens: 1 } };
    assert.equal((await room.tree.reached(beside))?.used, tokens + 1);
    assert.equal((await room.tree.left()).max_tokens, 1);
    // A child that used something keeps that, and gets what is left.
    const { a, aa } = room;
    const given = await room.tree.leftFor({ name: a.name, session: a.session });
    assert.deepEqual(given, { ...noBudget, max_tokens: 1 + usedOf("max_tokens", sumOf([a, aa])) });
    assert.deepEqual(room.appended, []);
  });

  test("what a child used is on record before its loan is back, also where nothing is bounded", async () => {
    const { tree, appended, b } = await budgetOf(noBudget);
    await tree.keep({ name: b.name, session: b.session });
    // A request that is asked for meanwhile takes nothing of it back.
    await tree.reached();
    assert.equal(appended.length, 1);
    const [kept] = appended;
    assert.ok(kept?.kind === "extension");
    assert.deepEqual(Object.keys((kept.payload as { sessions: object }).sessions), [b.session]);
  });

  test("that something is held against it by an estimate is said once", async () => {
    // Turns are no estimate.
    const turns = await budgetOf({ ...noBudget, max_turns: 1_000 });
    await turns.tree.reached({ ...noSpent, estimated_tokens: 1 });
    assert.deepEqual(turns.warnings, []);
    const { tree, warnings } = await budgetOf({ ...noBudget, max_tokens: 1e9 });
    const beside = { ...noSpent, estimated_tokens: 1e9 };
    assert.equal((await tree.reached(beside))?.key, "max_tokens");
    await tree.reached(beside);
    assert.deepEqual(warnings, [
      "Not everything that was sent was counted by its provider: for that, the budget goes by an estimate of its input.",
    ]);
  });

  test("a loan that came back is put on record once, and a child's log that cannot be read is said once", async () => {
    const { tree, appended, warnings, again, reclaim, b, stores } = await budgetOf({
      ...noBudget,
      max_turns: 1_000,
    });
    await tree.reached();
    await reclaim(b);
    await again();
    await tree.reached();
    await tree.reached();
    assert.deepEqual(
      appended.map((body) => body.kind === "extension" && body.domain),
      [childrenSpentDomain],
    );
    const broken = new TreeBudget({
      budget: { ...noBudget, max_turns: 1_000 },
      gate: { state: { spent: noSpent, extensions: new Map() }, append: async () => [] },
      record: { current: await again() },
      sessions: stores.sessions,
      pods: { read: () => Promise.reject(new Error("unreadable")) },
      warn: (text) => warnings.push(text),
    });
    assert.equal(await broken.reached(), null);
    assert.equal(await broken.reached(), null);
    assert.deepEqual(warnings, [
      "What a child used cannot be read, so its last known use counts against the budget: unreadable",
    ]);
  });
});
