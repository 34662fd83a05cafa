/** What all Pods of a tree used together. */
import { addUsage, noCost, noUsage } from "@yoi/base";
import type { Spending, TreePod } from "@yoi/pod";

export interface TreeTotal {
  /** Those that there are. Of a missing one counts only what its parent has on record that it used. */
  readonly pods: number;
  readonly live: number;
  readonly spent: Spending;
}

export function allOf(roots: readonly TreePod[]): readonly TreePod[] {
  return roots.flatMap((pod) => [pod, ...allOf(pod.children)]);
}

export function totalOf(roots: readonly TreePod[]): TreeTotal {
  const pods = allOf(roots).filter(({ state }) => state !== "missing");
  return {
    pods: pods.length,
    live: pods.filter(({ ownerPid }) => ownerPid !== null).length,
    spent: allOf(roots).reduce<Spending>((sum, { spent }) => (spent === null ? sum : added(sum, spent)), {
      turns: 0,
      usage: noUsage,
      cost: noCost,
    }),
  };
}

function added(a: Spending, b: Spending): Spending {
  return {
    turns: a.turns + b.turns,
    usage: addUsage(a.usage, b.usage),
    cost: {
      nano_usd: a.cost.nano_usd + b.cost.nano_usd,
      unpriced_requests: a.cost.unpriced_requests + b.cost.unpriced_requests,
    },
  };
}
