/** What providers had in their caches, as a table: a row a request, and under it what the columns come to. */
import { dollars } from "@yoi/base";
import type { CachedRequest, CacheReport } from "@yoi/pod";
import { tableText } from "./table.ts";
import { durationText } from "./usage-text.ts";

const header = ["REQUEST", "AFTER", "INPUT", "PREDICTED", "READ", "WRITTEN", "WHAT"];

export function cacheText({ requests, sums, generation }: CacheReport): string {
  if (requests.length === 0) return "No request was made in this segment yet.\n";
  const { inputTokens, predictedTokens, readTokens, writtenTokens } = sums;
  const sum = ["sum", "", inputTokens, predictedTokens, readTokens, writtenTokens, breaksText(sums)];
  const before =
    generation === 0
      ? ""
      : `Of the segment in force; ${generation} came before it. What a rotation costs is in no prediction.\n`;
  return `${tableText(header, [...requests.map(row), sum.map(String)])}${before}`;
}

function row(one: CachedRequest): readonly string[] {
  const { seq, afterMs, usage, predictedTokens } = one;
  return [
    `${seq}`,
    afterMs === null ? "-" : durationText(afterMs),
    ...[usage?.input_tokens, predictedTokens, usage?.cache_read_tokens, usage?.cache_write_tokens].map(
      (tokens) => `${tokens ?? "-"}`,
    ),
    whatText(one),
  ];
}

function whatText({ standing, broken }: CachedRequest): string {
  const why = broken === null ? [] : [`${breakNames[broken.kind]} at ${broken.seq}: ${lostText(broken)}`];
  switch (standing) {
    case "as_predicted":
    case "broken":
      return why.join();
    case "expired":
      return [...why, "expired?"].join(", ");
    case "silent":
      return [...why, "not reported"].join(", ");
    case "first":
      return "first of the segment: not predicted";
    case "unknown":
      return [...why, "not counted"].join(", ");
  }
}

const breakNames: { readonly [kind in NonNullable<CachedRequest["broken"]>["kind"]]: string } = {
  pruned: "pruned",
  images_refused: "images left out",
  reasoning_refused: "reasoning left out",
  quarantined: "an item left out",
  tools_changed: "tools changed",
  config_changed: "model or settings changed",
};

function lostText({ lostTokens, costNanoUsd }: NonNullable<CachedRequest["broken"]>): string {
  const cost = costNanoUsd === null ? "" : ` (${dollars(costNanoUsd)})`;
  return `about ${lostTokens} tokens anew${cost}`;
}

function breaksText({ breaks, lostTokens, breakCostNanoUsd, unpricedBreaks }: CacheReport["sums"]): string {
  if (breaks === 0) return "no breaks";
  const known = unpricedBreaks === breaks ? "" : ` (${dollars(breakCostNanoUsd)})`;
  return `${breaks} break${breaks === 1 ? "" : "s"}: about ${lostTokens} tokens anew${known}`;
}
