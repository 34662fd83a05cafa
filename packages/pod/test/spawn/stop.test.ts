/** StopPod and the orderly end: a loan comes back when nobody can write there any more, and not before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { killedMs, orderlyEndAboveMs, orderlyEndMs } from "../../src/spawn/end-child.ts";
import { reasonsOf, reclaimNotices, withKid, writes } from "./asserting.ts";
import { aCall, aRequest } from "../../../../test/support/simulated-tree.ts";

const writable = [{ target: "/w/a", permission: "write", recursive: true }];

test("A3-25: W-42: a child that ends in order: the loan is back, and on record; the child stays, restorable", async () => {
  const { tree, parent } = await withKid();
  const [child] = (await tree.record("parent")).children;
  assert.deepEqual(await tree.through(parent.manage.stop("kid", aCall())), { writable, killed: [] });
  assert.ok(writes(parent, "/w/a/x"));
  assert.equal(tree.find("kid"), null);
  const { children, reclaimed } = await tree.record("parent");
  assert.deepEqual(children, []);
  assert.deepEqual(
    reclaimed.map(({ atMs: _, ...one }) => one),
    [{ name: "kid", loan: child?.loan, session: child?.session, reason: "stopped" }],
  );
  // Nothing of the child's is removed.
  assert.equal((await tree.record("kid")).pointer.session, child?.session);
  assert.deepEqual(
    (await tree.registry.list()).map(({ name }) => name),
    ["parent"],
  );
  assert.deepEqual(
    (await reclaimNotices(tree, "parent")).map(({ kind, body }) => ({ kind, body })),
    [
      {
        kind: "pod_event",
        body: "The child kid has stopped, and its loan came back. You may write there again: /w/a. RestorePod starts it again with the same loan.",
      },
    ],
  );
  assert.deepEqual(tree.groupsEnded, []);
  assert.ok(
    tree.straysEnded.includes("kid" as never),
    "what it left running was ended before its loan came back",
  );
});

test("W-42: while a child that was asked to end still has its lease its loan is not back; then it is killed by its group", async () => {
  const { tree, parent } = await withKid();
  tree.behaviour.set("kid", { shutdown: "ignored" });
  const stopping = parent.manage.stop("kid", aCall());
  await tree.host.advance(orderlyEndMs - 100);
  assert.deepEqual([writes(parent, "/w/a/x"), writes(tree.find("kid"), "/w/a/x")], [false, true]);
  assert.deepEqual(tree.groupsEnded, []);
  await tree.host.advance(200);
  assert.deepEqual(tree.groupsEnded, ["kid"]);
  assert.deepEqual(await tree.through(stopping), { writable, killed: ["kid"] });
  assert.deepEqual(tree.groupsEnded, ["kid"]);
  assert.deepEqual(await reasonsOf(tree, "parent"), [["kid", "lost"]]);
  assert.deepEqual(
    (await reclaimNotices(tree, "parent")).map(({ body }) => body),
    [
      "The child kid is gone without an orderly end, and its loan came back. Killed, because they did not end when they were asked: kid. A run that went on there has no end in its log. You may write there again: /w/a. RestorePod starts it again with the same loan.",
    ],
  );
  assert.deepEqual([writes(parent, "/w/a/x"), tree.find("kid")], [true, null]);
});

test("a child that is gone already: its loan comes back at once", async () => {
  const { tree, parent } = await withKid();
  tree.behaviour.set("kid", { reach: "refused" });
  tree.kill("kid");
  // Nobody stopped it, and nobody killed it here.
  assert.deepEqual(await parent.manage.stop("kid", aCall()), { writable, killed: [] });
  assert.deepEqual(await reasonsOf(tree, "parent"), [["kid", "lost"]]);
  assert.ok(writes(parent, "/w/a/x"));
});

test("depth first: the children of a child end before it does, and every loan comes back", async () => {
  const { tree, parent } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  const ended: string[] = [];
  for (const name of ["kid", "grandkid"])
    void tree.find(name)?.process.died.promise.then(() => ended.push(name));
  await tree.through(parent.manage.stop("kid", aCall()));
  assert.deepEqual(ended, ["grandkid", "kid"]);
  assert.deepEqual(
    (await tree.record("kid")).reclaimed.map(({ name, reason }) => [name, reason]),
    [["grandkid", "stopped"]],
  );
  assert.deepEqual(tree.groupsEnded, []);
});

test("depth first: a child has time to kill one of its own that does not end, and ends in order itself", async () => {
  const { tree, parent } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.behaviour.set("grandkid", { shutdown: "ignored" });
  await tree.through(parent.manage.stop("kid", aCall()));
  assert.deepEqual(tree.groupsEnded, ["grandkid"]);
  assert.deepEqual(
    tree.live.map(({ name }) => name),
    ["parent"],
  );
});

test("a killed child whose own child lives on: that ends too before the loan comes back", async () => {
  const { tree, parent } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.kill("kid");
  assert.ok(writes(tree.find("grandkid"), "/w/a/deep/x"));
  await tree.through(parent.manage.stop("kid", aCall()));
  assert.equal(tree.find("grandkid"), null);
  assert.ok(writes(parent, "/w/a/deep/x"));
  assert.deepEqual(
    (await tree.registry.list()).map(({ name }) => name),
    ["parent"],
  );
});

test("a child that has children may take longer for its end, by as much as theirs may take", async () => {
  const { tree, parent } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.behaviour.set("kid", { shutdown: "ignored" });
  const stopping = parent.manage.stop("kid", aCall());
  await tree.host.advance(orderlyEndAboveMs - 100);
  assert.deepEqual([tree.groupsEnded, writes(parent, "/w/a/x")], [[], false]);
  await tree.host.advance(300);
  assert.deepEqual(tree.groupsEnded, ["kid"]);
  await tree.through(stopping);
  assert.ok(writes(parent, "/w/a/x"));
});

test("a child that a person runs in a terminal is not killed: the loan stays open, and the sentence says who has it", async () => {
  const { tree, parent } = await withKid();
  tree.kill("kid");
  // As `yoi run --pod kid` does, on its open loan.
  await tree.open("kid", { hosted: false });
  const startedMs = tree.host.clock.monotonic();
  await assert.rejects(tree.through(parent.manage.stop("kid", aCall())), (error: unknown) => {
    assert.ok(error instanceof YoiError && error.code === "pod_held");
    assert.match(error.message, /The Pod kid does not end, so its loan stays open: .* for run\)/);
    return true;
  });
  const tookMs = tree.host.clock.monotonic() - startedMs;
  assert.ok(tookMs >= orderlyEndMs + killedMs && tookMs < orderlyEndMs + killedMs + 200, String(tookMs));
  assert.deepEqual(tree.groupsEnded, []);
  assert.equal((await tree.record("parent")).children.length, 1);
  assert.ok(!writes(parent, "/w/a/x"));
});

test("a name that is no child's is refused, and one whose loan came back says so", async () => {
  const { tree, parent } = await withKid();
  await tree.through(parent.manage.stop("kid", aCall()));
  for (const [name, sentence] of [
    ["stranger", /has no child named stranger: ListPods shows/],
    ["kid", /loan came back already \(stopped\): RestorePod/],
  ] as const) {
    await assert.rejects(parent.manage.stop(name, aCall()), { code: "child_unknown", message: sentence });
    await assert.rejects(parent.manage.send(name, "x", aCall()), {
      code: "child_unknown",
      message: sentence,
    });
  }
});

test("the orderly end of a Pod ends its whole tree, in parallel, and takes every loan back; nothing is begun meanwhile", async () => {
  const { tree, parent } = await withKid();
  await parent.manage.spawn(aRequest("other", "/w/b"), aCall());
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.behaviour.set("other", { shutdown: "ignored" });
  const before = tree.host.clock.monotonic();
  const stopping = parent.pod.stopChildren();
  const ending = parent.end();
  await assert.rejects(parent.manage.spawn(aRequest("late", "/w/late"), aCall()), { code: "cancelled" });
  await tree.through(ending);
  assert.ok(tree.host.clock.monotonic() - before < 20_000);
  assert.deepEqual(tree.live, []);
  assert.deepEqual(tree.groupsEnded, ["other"]);
  assert.deepEqual(await stopping, { kept: [], killed: ["other"] });
  const { children, reclaimed } = await tree.record("parent");
  assert.deepEqual(
    [children, reclaimed.map(({ name, reason }) => [name, reason])],
    [
      [],
      [
        ["kid", "stopped"],
        ["other", "lost"],
      ],
    ],
  );
});

test("a Pod that is not hosted leaves its children alone", async () => {
  const { tree } = await withKid();
  tree.kill("parent");
  const parent = await tree.open("parent", { hosted: false });
  const {
    kept: [kept],
    killed,
  } = await parent.pod.stopChildren();
  assert.deepEqual(killed, []);
  assert.match(`${kept?.name}: ${kept?.why}`, /^kid: The Pod kid is hosted by process/);
  await parent.pod.close();
  assert.ok(writes(tree.find("kid"), "/w/a/x"));
});

test("W-43: a child that says that it is down, and lives, keeps its loan; one that ends by itself gives it back", async () => {
  const { tree, parent } = await withKid();
  const { token } = (await tree.record("kid")).parent ?? { token: "" };
  await tree.say("parent", token, { event: "shut_down" });
  await tree.host.advance(20_000);
  assert.deepEqual([writes(parent, "/w/a/x"), writes(tree.find("kid"), "/w/a/x")], [false, true]);
  const kid = tree.find("kid");
  assert.ok(kid !== null);
  await tree.through(kid.end());
  await tree.host.advance(2_000);
  assert.ok(writes(parent, "/w/a/x"));
  assert.deepEqual(
    (await tree.record("parent")).reclaimed.map(({ reason }) => reason),
    ["stopped"],
  );
});

test("a child that is killed is noticed by its connection, and its loan comes back as that of one that was lost", async () => {
  const { tree, parent } = await withKid();
  await tree.host.advance(10);
  tree.kill("kid");
  await tree.host.advance(2_000);
  assert.ok(writes(parent, "/w/a/x"));
  assert.deepEqual(
    (await tree.record("parent")).reclaimed.map(({ reason }) => reason),
    ["lost"],
  );
});
