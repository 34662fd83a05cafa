/** The first random trees, and a control: there is something to be found and something to be left out. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { proofTest } from "../support/proof.ts";
import { closeScene, outcomes, randomTrees } from "./random-trees.proof.ts";

after(closeScene);
proofTest(randomTrees);

test("control: a search that does not read ignore files finds more", (t) => {
  t.diagnostic(`${outcomes.found} found, ${outcomes.ignored} left out`);
  assert.ok(outcomes.found >= 50 && outcomes.ignored >= 20);
});
