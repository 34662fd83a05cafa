/** What Pods used, as a table: a row for each Pod, below it one for each of its segments where it has several, and all together. */
import type { Spent } from "@yoi/base";
import type { PodUsage, SegmentUsage } from "@yoi/pod";
import { describeCost } from "./cost.ts";
import { tableText } from "./table.ts";

const header = [
  "POD",
  "REQUESTS",
  "TURNS",
  "WORKED",
  "INPUT",
  "OUTPUT",
  "CACHE READ",
  "CACHE WRITTEN",
  "REASONING",
  "COST",
];

export function usageText(
  pods: readonly PodUsage[],
  total: { readonly pods: number; readonly spent: Spent },
  columns?: number,
): string {
  const rows = pods.flatMap((pod) => rowsOf(pod, 0));
  const sum =
    pods.length > 1 || pods.some(({ children }) => children.length > 0)
      ? [row(`all ${total.pods}`, total.spent)]
      : [];
  const { estimated_tokens: uncounted = 0 } = total.spent;
  const more =
    uncounted === 0
      ? ""
      : `Not in it: about ${uncounted} tokens of input that nobody counted, which budgets count too.\n`;
  return tableText(header, [...rows, ...sum], columns) + more;
}

function rowsOf(pod: PodUsage, depth: number): readonly (readonly string[])[] {
  const indent = "  ".repeat(depth);
  const { segments } = pod;
  return [
    row(`${indent}${pod.name}${pod.removed ? ", removed" : ""}`, pod.spent),
    ...(segments.length > 1 ? segments.map((one) => row(`${indent}  - ${partText(one)}`, one.spent)) : []),
    ...pod.children.flatMap((child) => rowsOf(child, depth + 1)),
  ];
}

function partText({ part, generation, segment }: SegmentUsage): string {
  const number = generation === null ? segment : `${generation}`;
  switch (part) {
    case "active":
      return `segment ${number}, active`;
    case "left":
      return `segment ${number}`;
    case "compactor":
      return `compactor ${segment.slice(-12)}`;
    case "unused":
      return `unused ${segment.slice(-12)}`;
  }
}

function row(name: string, spent: Spent | null): readonly string[] {
  if (spent === null) return [name, ...header.slice(1).map(() => "-")];
  const { requests, turns, run_ms, usage, cost_nano_usd, unpriced_requests } = spent;
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } = usage;
  const counts = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens];
  return [
    name,
    `${requests}`,
    `${turns}`,
    durationText(run_ms),
    ...counts.map(String),
    describeCost({ nano_usd: cost_nano_usd, unpriced_requests }),
  ];
}

/** As `2 h 03 min`, `4 min 05 s` or `1.5 s`. */
export function durationText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (count: number) => `${count}`.padStart(2, "0");
  if (minutes < 60) return `${minutes} min ${two(Math.floor(seconds % 60))} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}
