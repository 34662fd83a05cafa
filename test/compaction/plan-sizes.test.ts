/** The first compactions of adversarial sizes, and the controls: planners that break one rule each are found out. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type CompactedPlan, planCompaction } from "../../packages/pod/src/compact/plan/plan-compaction.ts";
import { proofTest } from "../support/proof.ts";
import { compactionSizes, type Plans, planSizes } from "./plan-sizes.proof.ts";

proofTest(compactionSizes);

/** The planner with another plan in place of what it gives. */
function changing(change: (plan: CompactedPlan) => CompactedPlan): Plans {
  return (input) => {
    const planned = planCompaction(input);
    if ("refused" in planned) return planned;
    const { items, ...rest } = change(planned);
    const tokens = input.sizeOf(items.map(({ item }) => item));
    return { ...rest, items, tokens, kept: planned.kept };
  };
}

const broken: readonly (readonly [what: string, plans: Plans])[] = [
  [
    "knows no limit",
    (input) =>
      planCompaction({ ...input, limits: { ...input.limits, limit: 1e9, resultMax: 1e9, retained: 1e9 } }),
  ],
  ["is content with any gain", (input) => planCompaction({ ...input, tokensBefore: input.tokensBefore * 2 })],
  ["loses the last item", changing((plan) => ({ ...plan, items: plan.items.slice(0, -1) }))],
  [
    "forgets what the user asked",
    changing((plan) => ({
      ...plan,
      items: plan.items.filter(({ item }) => item.type !== "system_item" || item.kind !== "user_inputs"),
    })),
  ],
  [
    "parts results from their calls",
    changing((plan) => ({ ...plan, items: plan.items.filter(({ item }) => item.type !== "tool_call") })),
  ],
  ["always refuses", () => ({ refused: "at most 1 are ever sent" })],
];
for (const [what, plans] of broken)
  test(`the control: a planner that ${what} is found out within 200 cases`, async () => {
    const proof = planSizes(plans);
    const all = async () => {
      for (let index = 0; index < 200; index += 1) await proof.check(index);
    };
    await assert.rejects(all, assert.AssertionError);
  });
