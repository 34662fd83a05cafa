/** What was typed of a budget stays with the Pod until it is typed anew, one by one. */
import assert from "node:assert/strict";
import test from "node:test";
import { noBudget } from "@yoi/base";
import { flagLayer } from "../../src/compose/kept-model.ts";
import { plainManifest } from "./plain-manifest.ts";

test("flags stand before what was typed at an earlier start, and neither is made up", () => {
  const plain = plainManifest("/w");
  const kept = { ...plain, budget: { ...noBudget, max_tokens: 500, typed: { max_tokens: 500 } } };
  const rows = [
    [{}, null, undefined],
    [{}, plain, undefined],
    [{ maxTokens: 9 }, null, { max_tokens: 9 }],
    [{}, kept, { max_tokens: 500 }],
    [{ maxTokens: 900 }, kept, { max_tokens: 900 }],
    [{ maxCost: 2.5 }, kept, { max_tokens: 500, max_cost_usd: 2.5 }],
    // From a file, so the file is asked again.
    [{}, { ...plain, budget: { ...noBudget, max_turns: 3 } }, undefined],
  ] as const;
  for (const [flags, before, budget] of rows) assert.deepEqual(flagLayer(flags, before).budget, budget);
});
