/** `yoi pod show --cache`: what of each request the provider should have had in its cache, and what it says it had. */
import type { JsonObject, Price } from "@yoi/base";
import { parseManifest, parseModelRef } from "@yoi/manifest";
import { findModel, priceAt } from "@yoi/model";
import { type CachedRequest, cacheReport, findPod } from "@yoi/pod";
import { openStores, type Stores } from "../compose/stores.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { cacheText } from "../output/cache-text.ts";
import { jsonLine } from "../output/json-line.ts";
import type { JsonFlag } from "../program/act.ts";

export async function podCache(name: string, flags: JsonFlag): Promise<number> {
  const stores = openStores(readEnvironment());
  const report = await cacheReport(stores, name, await pricesOf(stores, name));
  if (flags.json !== true) {
    process.stdout.write(cacheText(report));
    return exitCode.done;
  }
  const { pod, segment, generation, requests, sums } = report;
  const shown = {
    name: pod,
    segment_id: segment,
    generation,
    requests: requests.map(requestJson),
    sums: {
      input_tokens: sums.inputTokens,
      predicted_tokens: sums.predictedTokens,
      cache_read_tokens: sums.readTokens,
      cache_write_tokens: sums.writtenTokens,
      breaks: sums.breaks,
      lost_tokens: sums.lostTokens,
      break_cost_usd: sums.unpricedBreaks === 0 ? sums.breakCostNanoUsd / 1e9 : null,
    },
  };
  process.stdout.write(jsonLine(shown));
  return exitCode.done;
}

function requestJson({
  seq,
  model,
  afterMs,
  usage,
  predictedTokens,
  standing,
  broken,
}: CachedRequest): JsonObject {
  return {
    seq,
    model,
    after_ms: afterMs,
    input_tokens: usage?.input_tokens ?? null,
    predicted_tokens: predictedTokens,
    cache_read_tokens: usage?.cache_read_tokens ?? null,
    cache_write_tokens: usage?.cache_write_tokens ?? null,
    standing,
    break:
      broken === null
        ? null
        : {
            kind: broken.kind,
            seq: broken.seq,
            lost_tokens: broken.lostTokens,
            cost_usd: broken.costNanoUsd === null ? null : broken.costNanoUsd / 1e9,
          },
  };
}

/** As the Pod has them: what the user says of its own model, else the catalog's of that moment. */
export async function pricesOf(
  { pods }: Stores,
  name: string,
): Promise<(ref: string, atMs: number) => Price | null> {
  const record = await findPod(pods, name);
  const {
    provider,
    id,
    provider_definition: own,
    definition,
  } = parseManifest(record.manifest, pods.pathOf(record.name)).model;
  return (ref, atMs) => {
    if (ref === `${provider}/${id}` && definition?.price !== undefined) return definition.price;
    const of = parseModelRef(ref);
    // A provider of the user's own is not the built-in one of that name.
    if (of === null || (of.provider === provider && own !== undefined)) return null;
    const entry = findModel(of.provider, of.id);
    return entry === null ? null : priceAt(entry, atMs);
  };
}
