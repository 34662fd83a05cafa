/** SpawnPod: a child on a loan, from its parent's side, its own and the disk's; and everything that it is refused for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Scope, YoiError } from "@yoi/base";
import { childrenMax, type Lease } from "@yoi/pod-store";
import { permissionAt } from "@yoi/scope";
import { aCall, aRequest, lends, SimulatedTree } from "../../../../test/support/simulated-tree.ts";
import { manifestOf } from "../../../../test/support/simulated-pod.ts";
import { depthMax } from "../../src/spawn/lender.ts";
import { read, refused, withKid, write } from "./asserting.ts";

/** Nothing of a lend is left: not in metadata, not in the registry, not in the scope, no Pod, no process. */
async function assertNothingLent(tree: SimulatedTree, parent: string, child: string): Promise<void> {
  const { children, reclaimed } = await tree.record(parent);
  assert.deepEqual([children, reclaimed], [[], []]);
  assert.deepEqual(tree.find(parent)?.scope.loans, []);
  assert.deepEqual(await tree.pods.list().then((all) => all.map(({ name }) => name)), [parent]);
  assert.deepEqual(
    (await tree.registry.list()).map(({ name }) => name),
    [parent],
  );
  assert.equal(tree.find(child), null);
}

test("A3-14, A3-16, A3-24: W-39, W-40: a child holds exactly its loan, its parent lost the write there, and metadata says it", async () => {
  const tree = new SimulatedTree();
  const system = read("/usr");
  const manifest = manifestOf({
    scope: { allow: [write("/w"), system, read("/")], deny: [write("/w/a/locked"), read("/w/secret")] },
  });
  const parent = await tree.open("parent", { manifest });
  assert.deepEqual(await parent.manage.spawn(aRequest("kid", "/w/a"), aCall()), {
    name: "kid",
    socket: "/run/kid",
  });
  const { children, pointer } = await tree.record("parent");
  const [child] = children;
  assert.ok(child !== undefined);
  assert.deepEqual(children, [
    {
      name: "kid",
      state: "live",
      loan: {
        id: child.loan.id,
        // What was asked for, what shells read, and the parent's denies; not what gives the whole machine.
        scope: { allow: [read("/w"), write("/w/a"), system], deny: manifest.scope.deny },
      },
      session: child.session,
      tokenDigest: child.tokenDigest,
      socket: "/run/kid",
      callback: "/run/parent",
      sinceMs: child.sinceMs,
    },
  ]);
  const kid = await tree.record("kid");
  assert.equal(kid.pointer.session, child.session);
  assert.deepEqual(
    { pod: kid.parent?.pod, session: kid.parent?.session, depth: kid.parent?.depth },
    { pod: "parent", session: pointer.session, depth: 1 },
  );
  assert.deepEqual(tree.find("kid")?.scope.ceiling, child.loan.scope);
  assert.deepEqual(
    ["/w/a/x", "/w/b", "/w/a/locked"].map((path) => [
      permissionAt(parent.scope.current, path),
      permissionAt(tree.find("kid")?.scope.current ?? { allow: [], deny: [] }, path),
    ]),
    [
      ["read", "write"],
      ["write", "read"],
      ["read", "read"],
    ],
  );
  assert.deepEqual(
    (await tree.registry.list()).map(({ name, delegatedFrom, loan }) => ({ name, delegatedFrom, loan })),
    [
      { name: "kid", delegatedFrom: "parent", loan: child.loan.id },
      { name: "parent", delegatedFrom: null, loan: null },
    ],
  );
  const log = await tree.log("kid");
  assert.deepEqual(
    log.entries.flatMap((entry) => (entry.kind === "user_input" && "parts" in entry ? [entry.parts] : [])),
    [[{ type: "text", text: "do what kid does" }]],
  );
});

test("what a child cannot be made of is refused in a sentence, and nothing is lent", async () => {
  const table: readonly (readonly [what: string, Partial<ReturnType<typeof aRequest>>, string, RegExp])[] = [
    ["its own name", { name: "parent" }, "usage", /its own child/],
    ["its own name in another case", { name: "PARENT" }, "usage", /its own child/],
    ["the name of another Pod", { name: "other" }, "pod_exists", /A Pod named other exists/],
    ["a case twin", { name: "OTHER" }, "pod_exists", /differs from the existing Pod other by case only/],
    ["a name that is a path", { name: "../x" }, "pod_name_invalid", /not valid/],
    [
      "more than the parent has",
      { scope: [read("/w"), write("/x")] },
      "loan_refused",
      /cannot lend write on "\/x".*own scope does not give it/,
    ],
    [
      "no reading of the workspace",
      { scope: [write("/w/a")] },
      "loan_refused",
      /could not read it: add the rule \{"target":"\/w","permission":"read"\}/,
    ],
  ];
  const tree = new SimulatedTree();
  const other = await tree.open("other", {
    manifest: manifestOf({ scope: { allow: [read("/w")], deny: [] } }),
  });
  await other.end();
  const parent = await tree.open("parent");
  for (const [what, fields, code, sentence] of table) {
    await refused(parent.manage.spawn({ ...aRequest("kid", "/w/a"), ...fields }, aCall()), code, sentence);
    assert.deepEqual(parent.scope.loans, [], what);
    assert.deepEqual((await tree.record("parent")).children, [], what);
  }
});

test("the name of a child that stopped is its own: SpawnPod of it is refused, changes nothing, and RestorePod starts it again", async () => {
  const { tree, parent } = await withKid();
  const sentence = /has a child named kid already: start that one again with RestorePod/;
  await refused(parent.manage.spawn(aRequest("kid", "/w/b"), aCall()), "pod_exists", sentence);
  await tree.through(parent.manage.stop("kid", aCall()));
  const before = await tree.record("parent");
  await refused(parent.manage.spawn(aRequest("kid", "/w/b"), aCall()), "pod_exists", sentence);
  assert.deepEqual(await tree.record("parent"), before);
  assert.ok((await parent.manage.list(aCall())).some(({ name, restorable }) => name === "kid" && restorable));
  await parent.manage.restore("kid", aCall());
  assert.deepEqual(
    [permissionAt(parent.scope.current, "/w/a/x"), permissionAt(parent.scope.current, "/w/b/x")],
    ["read", "write"],
  );
});

test("a name that is taken while a lend of it begins is seen under its lease, before anything is withdrawn", async () => {
  let tree: SimulatedTree | null = null;
  let isTaken = false;
  const takes = (lease: Lease): Lease => ({
    ...lease,
    acquire: async (name, purpose) => {
      const taken = await lease.acquire(name, purpose);
      if (purpose === "spawn") {
        isTaken = true;
        const { manifest, pointer } = await (tree ?? assert.fail()).record("parent");
        await tree?.pods.create({ name, pointer, manifest });
      }
      return taken;
    },
  });
  tree = new SimulatedTree({ wrapLease: takes });
  const parent = await tree.open("parent");
  const leave = parent.scope.enter("Bash (1.0)");
  await refused(
    parent.manage.spawn(aRequest("kid", "/w/a"), aCall()),
    "pod_exists",
    /A Pod named kid exists/,
  );
  leave();
  const { children, reclaimed } = await tree.record("parent");
  assert.deepEqual([isTaken, children, reclaimed, parent.scope.loans], [true, [], [], []]);
});

test("a path is lent once: a second lend of it, or of what holds it, is refused and says who has it; beside it is fine", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  await parent.manage.spawn(aRequest("a", "/w/a"), aCall());
  for (const target of ["/w/a", "/w/a/deep", "/w"]) {
    await refused(
      parent.manage.spawn(aRequest("b", target), aCall()),
      "loan_refused",
      /is lent to another child: stop that one first/,
    );
  }
  await parent.manage.spawn(aRequest("b", "/w/b"), aCall());
  assert.deepEqual(
    (await tree.record("parent")).children.map(({ name }) => name),
    ["a", "b"],
  );
});

test("what several Pods may write by the user's word is lent to nobody for writing; for reading it is", async () => {
  const tree = new SimulatedTree();
  const { scope } = manifestOf();
  const allow: Scope["allow"] = [
    ...scope.allow,
    { target: "/cache", permission: "write", recursive: true, shared: true },
  ];
  const parent = await tree.open("parent", { manifest: manifestOf({ scope: { ...scope, allow } }) });
  await refused(
    parent.manage.spawn(aRequest("a", "/cache/x"), aCall()),
    "loan_refused",
    /other Pods may write at the same time by the user's word/,
  );
  assert.equal(permissionAt(parent.scope.current, "/cache/x"), "write");
  await parent.manage.spawn(aRequest("a", "/w/a"), aCall());
});

test("two spawns of one answer at once: disjoint ones both begin, of overlapping ones exactly one", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  const disjoint = await Promise.allSettled([
    parent.manage.spawn(aRequest("a", "/w/a"), aCall()),
    parent.manage.spawn(aRequest("b", "/w/b"), aCall()),
  ]);
  assert.deepEqual(
    disjoint.map(({ status }) => status),
    ["fulfilled", "fulfilled"],
  );
  const overlapping = await Promise.allSettled([
    parent.manage.spawn(aRequest("c", "/w/c"), aCall()),
    parent.manage.spawn(aRequest("d", "/w/c/deep"), aCall()),
  ]);
  assert.deepEqual(overlapping.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const same = await Promise.allSettled([
    parent.manage.spawn(aRequest("e", "/w/e"), aCall()),
    parent.manage.spawn(aRequest("e", "/w/f"), aCall()),
  ]);
  assert.deepEqual(
    same.map((one) => (one.status === "fulfilled" ? "begun" : (one.reason as YoiError).code)),
    ["begun", "pod_exists"],
  );
  assert.equal((await tree.record("parent")).children.length, 4);
  assert.equal(parent.scope.loans.length, 4);
});

test(`a Pod has at most ${childrenMax} children with an open loan`, async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  for (let n = 1; n <= childrenMax; n += 1) await parent.manage.spawn(aRequest(`k${n}`, `/w/k${n}`), aCall());
  await refused(
    parent.manage.spawn(aRequest("one-more", "/w/one-more"), aCall()),
    "limit_exceeded",
    /has 16 children, the most that one can have: stop one of them first/,
  );
  await tree.through(parent.manage.stop("k1", aCall()));
  await parent.manage.spawn(aRequest("one-more", "/w/one-more"), aCall());
});

test(`a tree is at most ${depthMax} levels deep below its root, also when it is opened again`, async () => {
  const tree = new SimulatedTree();
  let above = await tree.open("p0");
  for (let depth = 1; depth <= depthMax; depth += 1) {
    await above.manage.spawn(aRequest(`p${depth}`, `/w/${"d/".repeat(depth)}x`.slice(0, -2)), aCall());
    const next = tree.find(`p${depth}`);
    assert.ok(next !== null);
    above = next;
  }
  const tooDeep = aRequest("p5", "/w/d/d/d/d/d");
  const sentence = /is 4 levels below a Pod without parent, and 4 is the most/;
  await refused(above.manage.spawn(tooDeep, aCall()), "limit_exceeded", sentence);
  tree.kill("p4");
  const again = await tree.open("p4");
  await refused(again.manage.spawn(tooDeep, aCall()), "limit_exceeded", sentence);
});

test("W-36: a child that does not begin leaves nothing: no loan, no row, no Pod, no process", async () => {
  for (const start of ["throws", "dies"] as const) {
    const tree = new SimulatedTree();
    const parent = await tree.open("parent");
    tree.behaviour.set("kid", { start });
    await refused(parent.manage.spawn(aRequest("kid", "/w/a"), aCall()), "io_failed", /process of kid/);
    await assertNothingLent(tree, "parent", "kid");
    assert.equal(permissionAt(parent.scope.current, "/w/a"), "write");
    // And the name is free again.
    tree.behaviour.delete("kid");
    await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  }
});

test("a spawn that is cancelled at any of its steps leaves nothing", async () => {
  const why = new YoiError("cancelled", "enough");
  const steps = ["before", "lend", "start", "starting"] as const;
  for (const step of steps) {
    const tree = new SimulatedTree();
    const parent = await tree.open("parent");
    const controller = new AbortController();
    if (step === "before") controller.abort(why);
    const leave = step === "lend" ? parent.scope.enter("Bash (1.0)") : () => {};
    if (step === "start") tree.behaviour.set("kid", { start: "hangs" });
    if (step === "starting") tree.behaviour.set("kid", { open: { began: () => controller.abort(why) } });
    const spawning = parent.manage.spawn(aRequest("kid", "/w/a"), aCall(controller.signal));
    spawning.catch(() => {});
    for (let n = 0; n < 5; n += 1) await tree.host.advance(0);
    controller.abort(why);
    await refused(spawning, "cancelled", /enough/);
    leave();
    await assertNothingLent(tree, "parent", "kid");
  }
});

test("a lend waits for work that may still write there, and is refused when that does not end, naming it", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  const leave = parent.scope.enter("Bash (7.0)");
  const refusedOne = parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  refusedOne.catch(() => {});
  await tree.host.advance(1);
  assert.equal(permissionAt(parent.scope.current, "/w/a"), "read");
  await tree.host.advance(30_000);
  await refused(refusedOne, "loan_refused", /Bash \(7\.0\)/);
  assert.equal(permissionAt(parent.scope.current, "/w/a"), "write");
  await assertNothingLent(tree, "parent", "kid");
  const waiting = parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  await tree.host.advance(1);
  leave();
  await waiting;
  // What was checked before the wait is checked again behind it.
  assert.equal(parent.setup.confirmed, 1);
});

test("a child that was not given its task is kept, and the sentence says so", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  tree.behaviour.set("kid", { reach: "refused" });
  await refused(
    parent.manage.spawn(aRequest("kid", "/w/a"), aCall()),
    "pod_unreachable",
    /has begun and holds its loan, but was not given its task.*SendToPod.*StopPod/,
  );
  assert.equal((await tree.record("parent")).children[0]?.state, "live");
  tree.behaviour.delete("kid");
  await parent.manage.send("kid", "so do this", aCall());
});

test("a child lends on a part of its loan, and no more", async () => {
  const tree = new SimulatedTree();
  const root = await tree.open("root");
  await root.manage.spawn(aRequest("kid", "/w/a"), aCall());
  const kid = tree.find("kid");
  assert.ok(kid !== null);
  await refused(kid.manage.spawn(aRequest("grandkid", "/w/b"), aCall()), "loan_refused", /own scope/);
  await kid.manage.spawn({ ...aRequest("grandkid"), scope: lends("/w/a/deep") }, aCall());
  assert.deepEqual(
    ["/w/a/deep/x", "/w/a/x", "/w/x"].map((path) =>
      ["root", "kid", "grandkid"].filter((name) => {
        const scope = tree.find(name)?.scope.current;
        return scope !== undefined && permissionAt(scope, path) === "write";
      }),
    ),
    [["grandkid"], ["kid"], ["root"]],
  );
});
