/** What a client of a parent is told of its children: what each does now, as it says itself, and what the tree used. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { podName } from "@yoi/base";
import type { PodView } from "@yoi/protocol";
import { LineClient } from "../../packages/pod/test/serve/support.ts";
import { aCall, aRequest, SimulatedTree, userToken } from "../support/simulated-tree.ts";

const scenario = JSON.stringify({ steps: Array.from({ length: 8 }, () => ({ text: "Done." })) });

/** Virtual time passes until it is so. */
async function until(tree: SimulatedTree, what: string, isSo: () => boolean): Promise<void> {
  for (let ticks = 0; !isSo(); ticks += 1) {
    assert.ok(ticks < 400, `it never comes to ${what}`);
    await tree.host.advance(25);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a child is told with its state from its spawn on, what it used counts in the tree, and it goes with its loan", async () => {
  const tree = new SimulatedTree();
  tree.behaviour.set("kid", { open: { scenario } });
  const parent = await tree.open("parent", { scenario });
  const client = await LineClient.hello(tree.connect(podName("parent")), { token: userToken });
  await client.snapshot();
  assert.equal(client.view?.children, undefined);
  const told = () => client.live.flatMap((live) => (live.type === "children" ? [live.children] : []));
  await tree.through(parent.manage.spawn(aRequest("kid", "/w/kid"), aCall()));
  const isDone = () =>
    told().some((list) => list.some(({ name, state }) => name === "kid" && state === "idle"));
  await until(tree, "an idle child", isDone);
  const spent = () => client.live.flatMap((live) => (live.type === "spent" ? [live.spent] : [])).at(-1);
  await until(tree, "what it used", () => (spent()?.tree.usage.output_tokens ?? 0) > 0);
  assert.equal(spent()?.usage.output_tokens, 0);
  const view = (await client.ask("show")) as PodView;
  assert.deepEqual(view.children, [{ name: "kid", state: "idle", approvals: 0 }]);
  assert.deepEqual(view.spent, spent());
  tree.kill("kid");
  await until(tree, "a parent without children", () => told().at(-1)?.length === 0);
  client.connection.destroy();
  await tree.through(parent.end());
});
