/** What Pods used, as JSON. */
import type { JsonObject, Spent } from "@yoi/base";
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
}: Spent): JsonObject {
  const cost = { nano_usd: cost_nano_usd, unpriced_requests };
  return { requests, turns, run_ms, usage: { ...usage }, ...costFields(cost) };
}

function podJson({ name, session, segments, spent, error, problems, children }: PodUsage): JsonObject {
  return {
    name,
    session_id: session,
    ...spentJson(spent),
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
