/** A child's budget: what its parent has left when it begins, and anew when it is restored. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Budget, noBudget } from "@yoi/base";
import { parseManifest } from "@yoi/manifest";
import { aCall, aRequest, SimulatedTree } from "../../../../test/support/simulated-tree.ts";
import { manifestOf } from "../../../../test/support/simulated-pod.ts";
import { refused } from "./asserting.ts";

const budgetOf = async (tree: SimulatedTree, name: string) =>
  parseManifest((await tree.record(name)).manifest, name).budget;

test("a child begins with what its parent has left, and has it raised when it is restored with more", async () => {
  const tree = new SimulatedTree();
  const budget: Budget = { ...noBudget, max_tokens: 1000, max_turns: 7 };
  const parent = await tree.open("parent", { manifest: manifestOf({ budget }) });
  await parent.manage.spawn(aRequest("kid", "/w/a"), aCall());
  assert.deepEqual(await budgetOf(tree, "kid"), budget);
  await tree.through(parent.manage.stop("kid", aCall()));
  tree.kill("parent");
  const more: Budget = { ...budget, max_tokens: 5000 };
  const again = await tree.open("parent", { change: manifestOf({ budget: more }) });
  await again.manage.restore("kid", aCall());
  assert.deepEqual(await budgetOf(tree, "kid"), more);
});

test("a parent with nothing left begins no child; one without a budget gives none", async () => {
  const tree = new SimulatedTree();
  const budget: Budget = { ...noBudget, max_turns: 0 };
  const parent = await tree.open("parent", { manifest: manifestOf({ budget }) });
  await refused(
    parent.manage.spawn(aRequest("kid", "/w/a"), aCall()),
    "limit_exceeded",
    /^The Pod parent cannot have another child: what it and its children may use \(max_turns\) is used up\.$/,
  );
  const free = new SimulatedTree();
  const other = await free.open("parent");
  await other.manage.spawn(aRequest("kid", "/w/a"), aCall());
  assert.equal(await budgetOf(free, "kid"), undefined);
});
