/** Spending problems: where the sum of a session's records is not what its log says was used. Pure. */
import { addSpent, canonicalJson, noSpent, type Spent, usedOf } from "@yoi/base";
import { replay, type SegmentView } from "@yoi/session-store";
import type { SegmentSpent } from "./segment-spent.ts";

/**
 * One sentence each.
 * @param view the active segment.
 * @param history the sums of it and of those that the Pod left for it, newest first.
 * @param all the sums of every segment of the session.
 */
export function spendingProblems(
  view: SegmentView,
  history: readonly SegmentSpent[],
  all: readonly SegmentSpent[],
): readonly string[] {
  if (!view.ready) return [`${view.path} has no segment_ready: it was never finished.`];
  const { spent } = replay(view.entries);
  const [oldest] = history.slice(-1);
  const before = oldest?.start?.spent ?? noSpent;
  const records = history.reduce((sum, segment) => addSpent(sum, segment.own), before);
  const compactions = history.flatMap((segment) => segment.compactions);
  const counted = compactions.reduce((sum, one) => addSpent(sum, one.spent), records);
  return [
    ...difference(
      "The active segment's fold",
      spent,
      "the records of the Pod's segments and its compactors",
      counted,
    ),
    ...history.slice(0, -1).flatMap((segment, index) => {
      const left = history[index + 1]?.total ?? noSpent;
      const what = `The start of generation ${segment.start?.generation ?? 0}`;
      return difference(what, segment.start?.spent ?? noSpent, "what the segment before it comes to", left);
    }),
    ...compactions.flatMap((one) => {
      if (one.compactor === null) return [];
      const of = all.find((segment) => segment.start?.segment_id === one.compactor);
      const what = `What is on record of the compactor ${one.compactor}`;
      if (of !== undefined) return difference(what, one.spent, "its records", of.own);
      // Whose process was killed before it began has none.
      return canonicalJson(one.spent) === canonicalJson(noSpent)
        ? []
        : [`${what} cannot be held against its records: its segment is not there.`];
    }),
  ];
}

function difference(what: string, said: Spent, of: string, sum: Spent): readonly string[] {
  if (canonicalJson(said) === canonicalJson(sum)) return [];
  return [`${what} says ${text(said)}, and ${of} add up to ${text(sum)}.`];
}

function text(spent: Spent): string {
  const { requests, usage, cost_nano_usd, unpriced_requests, turns, run_ms, estimated_tokens = 0 } = spent;
  const cached = `${usage.cache_read_tokens} read, ${usage.cache_write_tokens} written`;
  return `${requests} requests, ${turns} turns, ${usedOf("max_tokens", spent)} tokens (${usage.input_tokens} in, ${usage.output_tokens} out, cache ${cached}, reasoning ${usage.reasoning_tokens}), ${cost_nano_usd} billionths of a dollar, ${unpriced_requests} unpriced, ${estimated_tokens} tokens estimated, ${run_ms} ms`;
}
