/** What a Pod and all below it used in their whole life, beside the result of a run. */
import { type JsonObject, type PodName, type Spent, YoiError } from "@yoi/base";
import { treeSpent } from "@yoi/pod";
import type { Stores } from "../compose/stores.ts";
import { costFields } from "./cost.ts";

/** Null: it cannot be read now; the run came to what it came to. */
export async function treeUsage(stores: Stores, name: PodName): Promise<Spent | null> {
  try {
    return await treeSpent(stores, name);
  } catch (error) {
    if (!(error instanceof YoiError)) throw error;
    return null;
  }
}

export function treeUsageJson(spent: Spent | null): JsonObject | null {
  if (spent === null) return null;
  const { requests, turns, usage, cost_nano_usd, unpriced_requests } = spent;
  return {
    requests,
    turns,
    usage: { ...usage },
    ...costFields({ nano_usd: cost_nano_usd, unpriced_requests }),
  };
}
