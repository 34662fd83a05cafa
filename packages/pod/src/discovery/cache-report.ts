/** CacheReport: what providers should have had in their caches, and what they say they had, request by request of a Pod's active segment. */
import {
  canonicalJson,
  costOf,
  type Entry,
  isKnown,
  type LlmRequest,
  type LlmUsage,
  noUsage,
  type Price,
  type SegmentId,
  type Usage,
  utf8Length,
} from "@yoi/base";
import { createReplay, type SessionState } from "@yoi/session-store";
import { addSize, bytesPerToken, estimateTokens, sizeShown } from "@yoi/worker";
import { type CacheBreak, cacheBreak } from "./cache-break.ts";
import { type DiscoveryStores, readActive } from "./find-pod.ts";

/** No provider keeps a shorter beginning. */
export const cachedTokensMin = 1_024;
/** A provider that reports less than this share of what was predicted, in hundredths, has most likely dropped it. */
const expiredBelowShare = 50;

/** `first`: of the segment, so nothing is predicted. `unknown`: it, or the one before it, was not counted. `silent`: its provider says nothing of caches. */
export type CacheStanding = "as_predicted" | "expired" | "broken" | "first" | "unknown" | "silent";

export interface CachedRequest {
  /** Of its record. */
  readonly seq: number;
  readonly model: string;
  /** Milliseconds since the request before it. */
  readonly afterMs: number | null;
  /** Null: nobody counted it. */
  readonly usage: Usage | null;
  /** Tokens that it has in common with the request before it; null: see `standing`. */
  readonly predictedTokens: number | null;
  readonly standing: CacheStanding;
  readonly broken: (Pick<CacheBreak, "kind" | "seq"> & BreakCost) | null;
}

export interface BreakCost {
  /** Tokens of what the request before it held too, as this one sends it, behind where they begin to differ. */
  readonly lostTokens: number;
  /** What it cost more to send so many anew than out of the cache; null: the price is not known. */
  readonly costNanoUsd: number | null;
}

export interface CacheReport {
  readonly pod: string;
  readonly segment: SegmentId;
  /** How many segments came before. */
  readonly generation: number;
  readonly requests: readonly CachedRequest[];
  readonly sums: {
    readonly inputTokens: number;
    readonly predictedTokens: number;
    readonly readTokens: number;
    readonly writtenTokens: number;
    readonly breaks: number;
    readonly lostTokens: number;
    /** Of the breaks whose cost is known. */
    readonly breakCostNanoUsd: number;
    readonly unpricedBreaks: number;
  };
}

/** @param priceOf of a model named `provider/id`, at a moment in ms since the epoch; null: not known. */
export async function cacheReport(
  stores: DiscoveryStores,
  name: string,
  priceOf: (model: string, atMs: number) => Price | null,
): Promise<CacheReport> {
  const { record, segment, view } = await readActive(stores, name);
  const entries = view.entries.filter(isKnown);
  const replay = createReplay();
  const counted = lastUsages(entries);
  const silent = silentModels(entries, counted);
  const requests: CachedRequest[] = [];
  let before: Sent | null = null;
  for (const entry of view.entries) {
    if (isKnown(entry) && entry.kind === "llm_request") {
      const usage = counted.get(entry.seq) ?? null;
      const sent: Sent = { entry, usage, items: replay.state.items.length };
      const between = view.entries.slice((before?.entry.seq ?? entry.seq) + 1, entry.seq).filter(isKnown);
      requests.push(requestAfter(before, sent, between, { state: replay.state, silent, priceOf }));
      // What was refused before it was read is in no cache.
      if (usage === null || usage.input_tokens > 0) before = sent;
    }
    replay.apply(entry);
  }
  return { pod: record.name, segment, generation: replay.state.generation, requests, sums: sumsOf(requests) };
}

interface Sent {
  readonly entry: LlmRequest & { readonly seq: number; readonly ts: number };
  readonly usage: Usage | null;
  /** How many items history had. */
  readonly items: number;
}

interface Reading {
  readonly state: SessionState;
  readonly silent: ReadonlySet<string>;
  readonly priceOf: (model: string, atMs: number) => Price | null;
}

function requestAfter(
  before: Sent | null,
  sent: Sent,
  between: readonly Entry[],
  reading: Reading,
): CachedRequest {
  const { entry, usage } = sent;
  const { seq, ts, config } = entry;
  const common = { seq, model: config.model, usage, broken: null, predictedTokens: null };
  if (before === null) return { ...common, afterMs: null, standing: "first" };
  const afterMs = ts - before.entry.ts;
  if (before.usage === null) return { ...common, afterMs, standing: "unknown" };
  const items = () => reading.state.items.slice(0, before.items);
  const broken = cacheBreak(items, before.entry, entry, between);
  const predictedTokens =
    broken === null ? before.usage.input_tokens : keptTokens(before, broken, reading.state);
  const found = {
    ...common,
    afterMs,
    predictedTokens,
    broken:
      broken === null
        ? null
        : {
            kind: broken.kind,
            seq: broken.seq,
            ...costOfBreak(lostTokens(before, broken, sent, reading.state), sent, reading),
          },
  };
  return { ...found, standing: standingOf(found, reading.silent) };
}

function standingOf(
  { model, usage, predictedTokens, broken }: Omit<CachedRequest, "standing">,
  silent: ReadonlySet<string>,
): CacheStanding {
  if (usage === null || usage.input_tokens === 0 || predictedTokens === null) return "unknown";
  if (silent.has(model)) return "silent";
  if (
    predictedTokens >= cachedTokensMin &&
    usage.cache_read_tokens * 100 < predictedTokens * expiredBelowShare
  )
    return "expired";
  return broken === null ? "as_predicted" : "broken";
}

/** What a request before a break has in common with the one behind it: so much of what its provider counted as the estimate says. */
function keptTokens(before: Sent, { at }: CacheBreak, state: SessionState): number {
  if (at === "nothing") return 0;
  return scaled(before, sizeOfFirst(at === "head" ? 0 : at, before, state), state);
}

/** What is new in a request is sent anew in any case, and what is left out of it is not sent: neither is lost. */
function lostTokens(before: Sent, broken: CacheBreak, sent: Sent, state: SessionState): number {
  const { at } = broken;
  const shown = { ...sent, items: before.items };
  const same = at === "nothing" ? 0 : sizeOfFirst(at === "head" ? 0 : at, shown, state);
  const lost = scaled(before, sizeOfFirst(before.items, shown, state) - same, state);
  const kept = keptTokens(before, broken, state);
  return Math.max(0, Math.min(lost, (sent.usage?.input_tokens ?? Infinity) - kept));
}

/** An estimate, by what was counted of the request before. */
function scaled(before: Sent, tokens: number, state: SessionState): number {
  const all = sizeOfFirst(before.items, before, state);
  return Math.floor((before.usage?.input_tokens ?? 0) * (tokens / Math.max(1, all)));
}

/** Estimated tokens of system prompt, tools and that many items, as the request has them. */
function sizeOfFirst(
  count: number,
  { entry }: Sent,
  { items, prompt, tools, calibration }: SessionState,
): number {
  const { config, projection } = entry;
  const head = { bytes: utf8Length(prompt) + utf8Length(canonicalJson(tools)), images: 0 };
  const size = items.slice(0, count).reduce((sum, item) => addSize(sum, sizeShown(item, projection)), head);
  return estimateTokens(size, bytesPerToken(calibration, config.model));
}

function costOfBreak(lostTokens: number, { entry, usage }: Sent, { priceOf }: Reading): BreakCost {
  const price = priceOf(entry.config.model, entry.ts);
  if (price === null) return { lostTokens, costNanoUsd: null };
  const lost: Usage = { ...noUsage, input_tokens: lostTokens };
  const isWritten = (usage?.cache_write_tokens ?? 0) > 0;
  const anew = costOf(isWritten ? { ...lost, cache_write_tokens: lostTokens } : lost, price);
  const cached = costOf({ ...lost, cache_read_tokens: lostTokens }, price);
  return { lostTokens, costNanoUsd: Math.max(0, anew - cached) };
}

/** By the request's seq: the count of its last sending. */
function lastUsages(entries: readonly Entry[]): ReadonlyMap<number, Usage> {
  const last = (entry: Entry): entry is Entry & LlmUsage =>
    entry.kind === "llm_usage" && entry.attempt === undefined;
  return new Map(entries.filter(last).map(({ request, usage }) => [request, usage]));
}

/** Models whose provider never said anything of a cache, in requests of which it should have. */
function silentModels(entries: readonly Entry[], counted: ReadonlyMap<number, Usage>): ReadonlySet<string> {
  const said = new Map<string, boolean>();
  for (const entry of entries) {
    const usage = entry.kind === "llm_request" ? counted.get(entry.seq) : undefined;
    if (entry.kind !== "llm_request" || usage === undefined) continue;
    const { model } = entry.config;
    said.set(model, said.get(model) === true || usage.cache_read_tokens + usage.cache_write_tokens > 0);
  }
  return new Set([...said].flatMap(([model, is]) => (is ? [] : [model])));
}

function sumsOf(requests: readonly CachedRequest[]): CacheReport["sums"] {
  const sum = (of: (one: CachedRequest) => number): number =>
    requests.reduce((total, one) => total + of(one), 0);
  const breaks = requests.filter(({ broken }) => broken !== null);
  return {
    inputTokens: sum(({ usage }) => usage?.input_tokens ?? 0),
    predictedTokens: sum(({ predictedTokens }) => predictedTokens ?? 0),
    readTokens: sum(({ usage }) => usage?.cache_read_tokens ?? 0),
    writtenTokens: sum(({ usage }) => usage?.cache_write_tokens ?? 0),
    breaks: breaks.length,
    lostTokens: sum(({ broken }) => broken?.lostTokens ?? 0),
    breakCostNanoUsd: sum(({ broken }) => broken?.costNanoUsd ?? 0),
    unpricedBreaks: breaks.filter(({ broken }) => broken?.costNanoUsd === null).length,
  };
}
