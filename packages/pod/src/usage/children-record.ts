/** ChildrenRecord: what is on record of what a Pod's children used whose loans came back, with all below them. */
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, noSpent, type Spent } from "@yoi/base";

/** The `extension` domain in which a Pod keeps it. */
export const childrenSpentDomain = "yoi.children_spent";

export interface ChildrenRecord {
  /** Of the children that the Pod keeps in mind. */
  readonly sessions: ReadonlyMap<string, Spent>;
  /** Of the others together. */
  readonly earlier: Spent;
}

/** @param recorded the last record; null: there is none. What is no count in it counts as 0. */
export function recordedSpent(recorded: JsonValue | null): ChildrenRecord {
  if (!isJsonObject(recorded)) return { sessions: new Map(), earlier: noSpent };
  const { sessions, earlier } = recorded;
  const known = Object.entries(isJsonObject(sessions) ? sessions : {});
  return {
    sessions: new Map(known.map(([session, value]) => [session, readSpent(value)])),
    earlier: readSpent(earlier),
  };
}

export function isNothing(spent: Spent): boolean {
  return canonicalJson(spentJson(spent)) === canonicalJson(spentJson(noSpent));
}

export function spentJson({ usage, ...counts }: Spent): JsonObject {
  return { ...counts, usage: { ...usage } };
}

function readSpent(value: JsonValue | undefined): Spent {
  const spent = isJsonObject(value) ? value : {};
  const usage = isJsonObject(spent["usage"]) ? spent["usage"] : {};
  const estimated = (name: "estimated_tokens" | "estimated_cost_nano_usd") => {
    const found = count(spent, name);
    return found === 0 ? {} : { [name]: found };
  };
  return {
    requests: count(spent, "requests"),
    usage: {
      input_tokens: count(usage, "input_tokens"),
      output_tokens: count(usage, "output_tokens"),
      cache_read_tokens: count(usage, "cache_read_tokens"),
      cache_write_tokens: count(usage, "cache_write_tokens"),
      reasoning_tokens: count(usage, "reasoning_tokens"),
    },
    cost_nano_usd: count(spent, "cost_nano_usd"),
    unpriced_requests: count(spent, "unpriced_requests"),
    turns: count(spent, "turns"),
    run_ms: count(spent, "run_ms"),
    ...estimated("estimated_tokens"),
    ...estimated("estimated_cost_nano_usd"),
  };
}

function count(from: JsonObject, name: string): number {
  const found = from[name];
  return typeof found === "number" && Number.isSafeInteger(found) && found >= 0 ? found : 0;
}
