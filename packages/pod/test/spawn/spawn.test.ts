/** SpawnPod: a child on a loan, from its parent's side, its own and the disk's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aCall, lends, SimulatedTree } from "../../../../test/support/simulated-tree.ts";

const request = (name: string, ...targets: readonly string[]) => ({
  name,
  profile: null,
  scope: lends(...targets),
  instruction: null,
  task: `do what ${name} does`,
});

test("W-39, W-40, A3-14, A3-16: a child holds exactly its loan, its parent lost the write there, and both are on record", async () => {
  const tree = new SimulatedTree();
  const parent = await tree.open("parent");
  const reached = await parent.manage.spawn(request("kid", "/w/a"), aCall());
  assert.deepEqual(reached, { name: "kid", socket: "/run/kid" });
  const record = await tree.record("parent");
  const [child] = record.children;
  assert.equal(child?.state, "live");
  assert.deepEqual(tree.find("kid")?.scope.ceiling, child?.loan.scope);
});
