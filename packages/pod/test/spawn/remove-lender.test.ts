/** `pod rm` of a Pod that lends: never while somebody works on what it lent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { removePod } from "../../src/discovery/remove-pod.ts";
import { aCall, aRequest } from "../../../../test/support/simulated-tree.ts";
import { refused, withKid, writes } from "./asserting.ts";

test("a Pod with children that live is not removed, and the sentence names them; one whose children are gone is", async () => {
  const { tree, parent } = await withKid();
  await parent.manage.spawn(aRequest("other", "/w/b"), aCall());
  tree.kill("parent");
  tree.kill("other");
  const remove = () => removePod(tree, "parent", async () => {});
  await refused(
    remove(),
    "pod_held",
    /^The Pod parent has lent parts of its scope to children that live, kid: end them first \(`yoi pod stop kid`\)\.$/,
  );
  assert.ok(writes(tree.find("kid"), "/w/a/x"));
  const again = await tree.open("parent");
  tree.kill("parent");
  assert.equal(again.process.isDead, true);
  tree.kill("kid");
  assert.equal((await remove()).name, "parent");
  // The leases that were held for it are free again.
  await (await tree.lease.acquire((await tree.record("kid")).name, "look")).release();
});

test("one whose metadata is damaged is not removed while a Pod lives that it may have lent something to", async () => {
  const { tree } = await withKid();
  tree.kill("parent");
  const path = tree.pods.pathOf((await tree.record("parent")).name);
  await tree.host.files.replace(path, Buffer.from("{"));
  const remove = () => removePod(tree, "parent", async () => {});
  await refused(
    remove(),
    "pod_held",
    /^The Pod parent, whose metadata is damaged, may have lent parts of its scope to Pods that live, kid: end them first \(`yoi pod stop kid`\)\.$/,
  );
  // What cannot be read may be its child.
  const kid = tree.pods.pathOf((await tree.record("kid")).name);
  const whole = (await tree.host.files.read(kid)) ?? Buffer.alloc(0);
  await tree.host.files.replace(kid, Buffer.from("{"));
  await refused(remove(), "pod_held", /live, kid: end them first/);
  await tree.host.files.replace(kid, whole);
  tree.kill("kid");
  assert.equal((await remove()).session, null);
});
