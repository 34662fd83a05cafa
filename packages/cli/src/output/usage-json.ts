/** What Pods used, as JSON. */
import { type JsonObject, noSpent, type Spent } from "@yoi/base";
import type { PodUsage } from "@yoi/pod";
import { costFields } from "./cost.ts";

export function usageJson(
  pods: readonly PodUsage[],
  total: { readonly pods: number; readonly spent: Spent },
  verified: boolean | null,
): JsonObject {
  return {
    pods: pods.map(podJson),
    total: { pods: total.pods, ...spentJson(total.spent) },
    verified,
  };
}

export function spentJson({
  requests,
  turns,
  run_ms,
  usage,
  cost_nano_usd,
  unpriced_requests,
  estimated_tokens = 0,
  estimated_cost_nano_usd = 0,
}: Spent): JsonObject {
  const cost = { nano_usd: cost_nano_usd, unpriced_requests };
  const uncounted = { tokens: estimated_tokens, usd: estimated_cost_nano_usd / 1e9 };
  return { requests, turns, run_ms, usage: { ...usage }, ...costFields(cost), uncounted };
}

const nothingKnown: JsonObject = Object.fromEntries(
  Object.keys(spentJson(noSpent)).map((name) => [name, null]),
);

function podJson(pod: PodUsage): JsonObject {
  const { name, session, segments, spent, removed, error, problems, children } = pod;
  return {
    name,
    session_id: session,
    removed,
    ...(spent === null ? nothingKnown : spentJson(spent)),
    segments: segments.map((one) => ({
      segment_id: one.segment,
      part: one.part,
      generation: one.generation,
      ...spentJson(one.spent),
    })),
    error,
    problems: [...problems],
    children: children.map(podJson),
  };
}
