/** Management: what a feature is handed works once its Pod is open, and is refused when that closes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, aRequest, SimulatedTree, userToken } from "../../../../test/support/simulated-tree.ts";
import { managementLater } from "../../src/spawn/management.ts";
import { manifestOf } from "../../../../test/support/simulated-pod.ts";
import { LineClient } from "../serve/support.ts";
import { read, refused, withKid } from "./asserting.ts";

test("every method waits for the Pod to be open, and is refused as cancelled where it never is", async () => {
  const { management, closed } = managementLater();
  assert.ok(Object.isFrozen(management));
  const asked = [
    management.spawn(aRequest("kid", "/w/a"), aCall()),
    management.send("kid", "x", aCall()),
    management.read("kid", null, aCall()),
    management.stop("kid", aCall()),
    management.list(aCall()),
    management.restore("kid", aCall()),
    management.sendToPeer("kid", "x", aCall()),
  ];
  closed();
  for (const one of asked) await refused(one, "cancelled", /The Pod is closed/);
});

test("a spawn that goes on while its Pod closes is taken back, and is refused as cancelled", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  const leave = parent.scope.enter("Bash (1.0)");
  const spawning = parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  spawning.catch(() => {});
  await tree.host.advance(1);
  await parent.pod.close();
  await refused(spawning, "cancelled", /closing|closed/);
  leave();
  assert.deepEqual((await tree.record("parent")).children, []);
  assert.equal(await tree.pods.read("kid" as never), null);
});

test("a message to a child is an input of its own, once per call; one to a peer names its sender", async () => {
  const { tree, parent } = await withKid();
  await tree.host.advance(100);
  await parent.manage.send("kid", "do this too", aCall());
  const call = aCall();
  await tree.open("friend", {
    hosted: true,
    manifest: manifestOf({ scope: { allow: [read("/w")], deny: [] } }),
  });
  await refused(
    parent.manage.sendToPeer("friend", "hello", call),
    "child_unknown",
    /is no peer of parent: .*yoi pod peer parent friend/,
  );
  const record = await tree.record("parent");
  tree.kill("parent");
  const friend = await tree.record("friend");
  await tree.pods.setPeer(record.name, record, friend.name, friend.pointer.session);
  const again = await tree.open("parent");
  await refused(
    again.manage.sendToPeer("friend", "hello", call),
    "child_unknown",
    /are peers no longer, because friend does not have parent as its peer: .*yoi pod peer parent friend/,
  );
  const client = await LineClient.hello(tree.connect(friend.name), { token: userToken, stream: false });
  assert.deepEqual(await client.ask("register_peer", { name: "parent" }), {});
  client.connection.destroy();
  await again.manage.sendToPeer("friend", "hello", call);
  await again.manage.sendToPeer("friend", "hello", call);
  const bodies = async (name: string) =>
    (await tree.log(name)).entries.flatMap((entry) => {
      if (entry.kind === "inbox_accepted" && "item" in entry) return [entry.item.body];
      return entry.kind === "user_input" && "parts" in entry ? [JSON.stringify(entry.parts)] : [];
    });
  assert.deepEqual(await bodies("friend"), ["From the Pod parent: hello"]);
  assert.deepEqual(await bodies("kid"), [
    '[{"type":"text","text":"do what kid does"}]',
    '[{"type":"text","text":"do this too"}]',
  ]);
  await tree.host.advance(10_000);
  tree.kill("friend");
  await refused(again.manage.sendToPeer("friend", "hello", aCall()), "pod_unreachable", /friend/);
  // Another Pod gets the name, and has this one as its peer: it is not the one that the user chose.
  await tree.pods.remove(friend.name);
  await tree.open("friend", { hosted: true, manifest: manifestOf({ scope: { allow: [], deny: [] } }) });
  const other = await tree.record("friend");
  await tree.pods.setPeer(other.name, other, record.name, record.pointer.session);
  await refused(
    again.manage.sendToPeer("friend", "for the old friend", aCall()),
    "child_unknown",
    /because another Pod has the name friend now/,
  );
  assert.deepEqual(await bodies("friend"), []);
});
