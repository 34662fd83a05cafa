/** A loan whose borrower lives does not come back, whatever of its metadata, its leases and the registry was lost, damaged or is an older copy. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import { aCall, aRequest, type SimulatedTree } from "../../../../test/support/simulated-tree.ts";
import { reclaimNotices, refused, withKid, writes } from "../spawn/asserting.ts";

async function metadataOf(tree: SimulatedTree, name: string): Promise<Uint8Array> {
  return (await tree.host.files.read(tree.pods.pathOf(podName(name)))) ?? assert.fail();
}

async function replace(tree: SimulatedTree, name: string, bytes: Uint8Array): Promise<void> {
  await tree.host.files.replace(tree.pods.pathOf(podName(name)), bytes);
}

/** Its parent has not got the write back, and has nothing told of it; a process that is gone changes that. */
async function assertKept(tree: SimulatedTree, borrower: string, path: string): Promise<void> {
  await tree.host.advance(20_000);
  const parent = tree.find("parent");
  assert.deepEqual([writes(tree.find(borrower), path), writes(parent, path)], [true, false]);
  assert.deepEqual(
    (await tree.record("parent")).children.map(({ name }) => name),
    ["kid"],
  );
  assert.deepEqual(await reclaimNotices(tree, "parent"), []);
  tree.kill(borrower);
  await tree.through(parent?.manage.stop("kid", aCall()) ?? assert.fail());
  assert.ok(writes(parent, path));
}

test("an older copy of a live child's metadata; with the registry lost too, its parent does not open beside it", async () => {
  for (const isLost of [false, true]) {
    const { tree, parent } = await withKid();
    const old = await metadataOf(tree, "kid");
    await tree.through(parent.manage.stop("kid", aCall()));
    await tree.pods.remove(podName("kid"));
    tree.kill("parent");
    // A new tree of the same names: what was told before is another log's.
    await tree.pods.remove(podName("parent"));
    const again = await tree.open("parent");
    await again.manage.spawn(aRequest("kid", "/w/a"), aCall());
    await replace(tree, "kid", old);
    tree.kill("parent");
    if (isLost) {
      await tree.loseRegistry();
      await refused(tree.open("parent"), "scope_conflict", /the Pod kid \(process \d+\) works there/);
    } else {
      await tree.open("parent");
      await assertKept(tree, "kid", "/w/a/x");
    }
  }
});

test("an older copy of a dead child's metadata, from before it lent on, also with the registry lost", async () => {
  for (const isLost of [false, true]) {
    const { tree } = await withKid();
    const old = await metadataOf(tree, "kid");
    await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
    tree.kill("kid");
    await replace(tree, "kid", old);
    if (isLost) await tree.loseRegistry();
    await assertKept(tree, "grandkid", "/w/a/deep/x");
  }
});

test("damaged metadata of a dead child and of its live child", async () => {
  const { tree } = await withKid();
  await tree.find("kid")?.manage.spawn(aRequest("grandkid", "/w/a/deep"), aCall());
  tree.kill("kid");
  for (const name of ["kid", "grandkid"]) await replace(tree, name, Buffer.from("{}"));
  await assertKept(tree, "grandkid", "/w/a/deep/x");
});

test("the lease of a live child deleted: its parent, opened again, lends it on, and says whose process works there", async () => {
  const { tree } = await withKid();
  const pid = tree.find("kid")?.process.identity.pid;
  tree.kill("parent");
  tree.leases.delete(podName("kid"));
  const parent = await tree.open("parent");
  await refused(
    parent.manage.stop("kid", aCall()),
    "pod_held",
    new RegExp(`The Pod kid still works on what parent lent.*kill ${pid}`),
  );
  await assertKept(tree, "kid", "/w/a/x");
});

test("A3-21: a registry lost before a restore changes no result: the lender's own hold of the child's lease is nobody's life", async () => {
  for (const isLost of [false, true]) {
    const { tree, parent } = await withKid();
    await tree.through(parent.manage.stop("kid", aCall()));
    if (isLost) await tree.loseRegistry();
    assert.equal((await parent.manage.restore("kid", aCall())).action, "restored");
    if (isLost) await tree.loseRegistry();
    assert.equal((await parent.manage.restore("kid", aCall())).action, "already_live");
    await parent.manage.spawn(aRequest("other", "/w/b"), aCall());
    assert.deepEqual(
      (await tree.registry.list()).map(({ name, delegatedFrom }) => [name, delegatedFrom]),
      [
        ["kid", "parent"],
        ["other", "parent"],
        ["parent", null],
      ],
    );
  }
});
