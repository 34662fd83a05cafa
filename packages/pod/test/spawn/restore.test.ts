/** RestorePod: a child again, on the loan that it has or on a new one of the same rules. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName, sessionId } from "@yoi/base";
import { parseManifest } from "@yoi/manifest";
import { dataDir, manifestOf } from "../../../../test/support/simulated-pod.ts";
import { refused, withKid, write, writes } from "./asserting.ts";
import { aCall, aRequest, SimulatedTree, type TreePod } from "../../../../test/support/simulated-tree.ts";

async function withReclaimedKid(): Promise<{ tree: SimulatedTree; parent: TreePod }> {
  const { tree, parent } = await withKid();
  await tree.through(parent.manage.stop("kid", aCall()));
  return { tree, parent };
}

test("a child that lives is already live, and nothing changes", async () => {
  const { tree, parent } = await withKid();
  const before = await tree.record("parent");
  assert.deepEqual(await parent.manage.restore("kid", aCall()), {
    name: "kid",
    socket: "/run/kid",
    action: "already_live",
  });
  assert.deepEqual(await tree.record("parent"), before);
});

test("a child that stopped while its loan is open starts again on that loan", async () => {
  const { tree, parent } = await withKid();
  const [before] = (await tree.record("parent")).children;
  assert.deepEqual(tree.straysEnded, [], "nothing of either ever ran");
  tree.kill("parent");
  tree.kill("kid");
  tree.behaviour.set("kid", { reach: "refused" });
  // Its lease is held for as long as its parent opens, so the loan stays open.
  const again = await tree.open("kid");
  assert.deepEqual(tree.straysEnded, ["kid"]);
  const reopened = await tree.open("parent");
  tree.kill("kid");
  assert.deepEqual(await reopened.manage.restore("kid", aCall()), {
    name: "kid",
    socket: "/run/kid",
    action: "restored",
  });
  assert.notEqual(tree.find("kid")?.process, again.process);
  assert.deepEqual((await tree.record("parent")).children, [before]);
  assert.ok(!writes(reopened, "/w/a/x"));
  assert.equal(parent.process.isDead, true);
});

test("A3-12, A3-26: W-48: a child whose loan came back gets a new one of the same rules, and is who it was, as it was resolved", async () => {
  const { tree, parent } = await withReclaimedKid();
  const [before] = (await tree.record("parent")).reclaimed;
  const kid = await tree.record("kid");
  const log = (await tree.log("kid")).entries.length;
  assert.deepEqual(await parent.manage.restore("kid", aCall()), {
    name: "kid",
    socket: "/run/kid",
    action: "restored",
  });
  const { children, reclaimed } = await tree.record("parent");
  const [child] = children;
  assert.deepEqual(reclaimed, []);
  assert.equal(child?.session, before?.session);
  assert.notEqual(child?.loan.id, before?.loan.id);
  assert.deepEqual(child?.loan.scope, before?.loan.scope);
  const again = await tree.record("kid");
  assert.deepEqual(
    { manifest: again.manifest, parent: again.parent, pointer: again.pointer },
    { manifest: kid.manifest, parent: kid.parent, pointer: kid.pointer },
  );
  assert.ok((await tree.log("kid")).entries.length > log);
  assert.deepEqual([writes(parent, "/w/a/x"), writes(tree.find("kid"), "/w/a/x")], [false, true]);
  // It is its parent's child again: its token is known, and its end is noticed.
  await tree.host.advance(10);
  tree.kill("kid");
  await tree.host.advance(2_000);
  assert.ok(writes(parent, "/w/a/x"));
});

test("a child that is not among the last ones any more is known by its own metadata: read, opened and restored with what it held", async () => {
  const { tree, parent } = await withReclaimedKid();
  const [before] = (await tree.record("parent")).reclaimed;
  await tree.through(parent.end());
  await forgetReclaimed(tree, "parent");
  assert.deepEqual((await tree.record("parent")).reclaimed, []);
  const reopened = await tree.open("parent");
  assert.equal((await reopened.manage.read("kid", null, aCall())).state, "stopped");
  await refused(tree.open("kid"), "loan_missing", /`yoi pod restore kid` asks it/);
  assert.equal((await reopened.manage.restore("kid", aCall())).action, "restored");
  const [child] = (await tree.record("parent")).children;
  assert.deepEqual([child?.session, child?.loan.scope], [before?.session, before?.loan.scope]);
  assert.deepEqual([writes(reopened, "/w/a/x"), writes(tree.find("kid"), "/w/a/x")], [false, true]);
  const pointer = { state: "pending", session: sessionId(tree.host.ids.uuidV7()) } as const;
  await tree.pods.create({ name: podName("stranger"), pointer, manifest: {} });
  await refused(reopened.manage.restore("stranger", aCall()), "child_unknown", /has no child named stranger/);
});

/** As when so many others came back since that these are not kept any more. */
async function forgetReclaimed(tree: SimulatedTree, pod: string): Promise<void> {
  const { name, pointer, manifest } = await tree.record(pod);
  await tree.pods.remove(name);
  await tree.pods.create({ name, pointer, manifest });
}

test("the rules of a loan are checked again against what is held now, and bound by what is denied now", async () => {
  const { tree, parent } = await withReclaimedKid();
  await parent.manage.spawn(aRequest("other", "/w/a/deep"), aCall());
  await refused(
    parent.manage.restore("kid", aCall()),
    "loan_refused",
    /cannot lend write on "\/w\/a".*lent to another child/,
  );
  assert.equal((await tree.record("parent")).reclaimed.length, 1);
  await tree.through(parent.end());
  const stored = await tree.record("parent");
  const manifest = parseManifest(stored.manifest, "x");
  const denied = await tree.open("parent", {
    change: { ...manifest, scope: { ...manifest.scope, deny: [write("/w/a/locked")] } },
  });
  await denied.manage.restore("kid", aCall());
  assert.ok(!writes(tree.find("kid"), "/w/a/locked/x"));
  assert.ok(writes(tree.find("kid"), "/w/a/x"));
  assert.deepEqual(parseManifest((await tree.record("kid")).manifest, "x").scope.deny, [
    write("/w/a/locked"),
  ]);
});

for (const isOpen of [false, true]) {
  const loan = isOpen ? "whose loan is still open" : "whose loan came back";
  test(`decision 4: a child ${loan} is no looser than who restores it is now, whatever that was at the first lend`, async () => {
    const tree = new SimulatedTree();
    const rule = { tool: "Bash", pattern: "*", action: "ask", origin: "/c" } as const;
    const root = { pod: "root", mode: "ask", rules: [] } as const;
    const loose = manifestOf({ sandbox: { mode: "off", network: true } });
    const strict = manifestOf({
      permissions: { mode: "deny-unlisted", rules: [rule], above: [root] },
      limits: { max_turns: 3, tool_output_bytes: 300, file_upload_bytes: 2000 },
    });
    const parent = await tree.open("parent", { manifest: loose });
    await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
    const bounds = async () => {
      const { permissions, sandbox, limits, scope } = parseManifest((await tree.record("kid")).manifest, "x");
      return {
        permissions,
        sandbox,
        limits,
        writes: scope.allow.filter(({ permission }) => permission === "write"),
      };
    };
    const first = await bounds();
    assert.deepEqual(
      [first.permissions.mode, first.sandbox, first.limits.max_turns],
      ["allow-in-scope", { mode: "off", network: true }, null],
    );
    if (isOpen) {
      tree.kill("parent");
      tree.kill("kid");
      tree.behaviour.set("kid", { reach: "refused" });
      await tree.open("kid");
    } else await tree.through(parent.end());
    const again = await tree.open("parent", { change: strict });
    if (isOpen) tree.kill("kid");
    assert.equal((await tree.record("parent")).children.length, isOpen ? 1 : 0);
    assert.equal((await again.manage.restore("kid", aCall())).action, "restored");
    assert.deepEqual(await bounds(), {
      permissions: {
        mode: "deny-unlisted",
        rules: [],
        above: [root, { pod: "parent", mode: "deny-unlisted", rules: [rule] }],
      },
      sandbox: { mode: "on", network: false },
      limits: strict.limits,
      writes: [write("/w/a")],
    });
  });
}

test("a restore that fails leaves the child as it was: its loan is back, and it can be restored", async () => {
  const { tree, parent } = await withReclaimedKid();
  tree.behaviour.set("kid", { start: "throws" });
  await refused(parent.manage.restore("kid", aCall()), "io_failed", /did not begin/);
  const { children, reclaimed } = await tree.record("parent");
  assert.deepEqual(
    [children, reclaimed.map(({ name, reason }) => [name, reason])],
    [[], [["kid", "stopped"]]],
  );
  assert.ok(writes(parent, "/w/a/x"));
  assert.equal((await tree.log("kid")).damage, null);
  tree.behaviour.delete("kid");
  await parent.manage.restore("kid", aCall());
});

test("what cannot be restored is refused, each with its own sentence", async () => {
  const { tree, parent } = await withReclaimedKid();
  await refused(parent.manage.restore("stranger", aCall()), "child_unknown", /has no child named stranger/);
  const path = `${dataDir}/pods/kid/metadata.json`;
  const good = await tree.host.files.read(path);
  assert.ok(good !== null);
  await tree.host.files.replace(path, good.slice(0, 40));
  await refused(parent.manage.restore("kid", aCall()), "metadata_damaged", /metadata\.json/);
  await tree.host.files.replace(path, good);
  await tree.pods.remove("kid" as never);
  await refused(
    parent.manage.restore("kid", aCall()),
    "pod_unknown",
    /was removed, with its log: .*SpawnPod/,
  );
  const other = await tree.open("kid", {
    manifest: manifestOf({
      scope: {
        allow: [write("/elsewhere"), { target: "/w", permission: "read", recursive: true }],
        deny: [],
      },
    }),
  });
  await refused(
    parent.manage.restore("kid", aCall()),
    "child_unknown",
    /the Pod that has its name now is not a child of parent/,
  );
  await other.end();
});

test("a child with an open loan that the user removed: its loan comes back as that of one that was lost", async () => {
  const { tree, parent } = await withKid();
  tree.behaviour.set("kid", { reach: "refused" });
  tree.kill("kid");
  await tree.pods.remove("kid" as never);
  await refused(parent.manage.restore("kid", aCall()), "pod_unknown", /was removed/);
  assert.deepEqual(
    (await tree.record("parent")).reclaimed.map(({ name, reason }) => [name, reason]),
    [["kid", "lost"]],
  );
  assert.ok(writes(parent, "/w/a/x"));
});

test("a child opens by itself only on an open loan, and only while all above it have theirs", async () => {
  const { tree, parent } = await withKid();
  const kid = tree.find("kid");
  await kid?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  // By anybody, while its loan is open: with exactly that scope.
  tree.kill("grandkid");
  const alone = await tree.open("grandkid");
  assert.ok(writes(alone, "/w/a/deep/x") && !writes(alone, "/w/a/x"));
  tree.kill("grandkid");
  tree.kill("kid");
  await tree.through(parent.manage.stop("kid", aCall()));
  // The killed child's own metadata still lends to its child: that loan is worth nothing without the one above it.
  assert.equal((await tree.record("kid")).children.length, 1);
  await refused(
    tree.open("kid"),
    "loan_missing",
    /kid is a child of parent, which has taken its loan back.*yoi pod restore kid/,
  );
  await refused(
    tree.open("grandkid"),
    "loan_missing",
    /grandkid works on what parent had lent to kid, and that loan came back.*yoi pod restore kid/,
  );
  await parent.manage.restore("kid", aCall());
});

test("a child whose parent was removed opens as a Pod of its own, with its stored scope", async () => {
  const { tree } = await withKid();
  tree.kill("kid");
  tree.kill("parent");
  await tree.pods.remove("parent" as never);
  const kid = await tree.open("kid");
  assert.deepEqual([writes(kid, "/w/a/x"), writes(kid, "/w/x")], [true, false]);
  assert.deepEqual(
    (await tree.registry.list()).map(({ name, delegatedFrom }) => [name, delegatedFrom]),
    [["kid", null]],
  );
});
