/** What Pods used, as a table and as JSON: literals that people and scripts read. */
import assert from "node:assert/strict";
import test from "node:test";
import { noSpent, noUsage, segmentId, sessionId, type Spent } from "@yoi/base";
import type { PodUsage } from "@yoi/pod";
import { usageJson } from "../../src/output/usage-json.ts";
import { durationText, usageText } from "../../src/output/usage-text.ts";

const session = sessionId("01a20058-1c5e-71ce-bd3e-56da102f80ca");
const segment = (n: number) => segmentId(`01a20058-1c5e-71cf-b6c7-86500000000${n}`);
const spent = (requests: number): Spent => ({
  requests,
  usage: {
    input_tokens: 900 * requests,
    output_tokens: 12,
    cache_read_tokens: 640,
    cache_write_tokens: 3,
    reasoning_tokens: 1,
  },
  cost_nano_usd: 12_300_000,
  unpriced_requests: requests - 1,
  turns: requests,
  run_ms: 61_500 * requests,
});
const leaf = { session, segments: [], removed: false, error: null, problems: [], children: [] };
const pods: readonly PodUsage[] = [
  {
    ...leaf,
    name: "lead",
    spent: spent(2),
    segments: [
      { segment: segment(1), part: "left", generation: 0, spent: spent(1) },
      { segment: segment(2), part: "compactor", generation: 0, spent: noSpent },
      { segment: segment(3), part: "active", generation: 1, spent: spent(1) },
      { segment: segment(4), part: "unused", generation: null, spent: noSpent },
    ],
    children: [{ ...leaf, name: "kid", spent: noSpent }],
  },
];
const total = { pods: 2, spent: spent(2) };

test("a table: Pods, below each its segments where it has several, then its children, and all together", () => {
  const rows = usageText(pods, total).split("\n");
  assert.deepEqual(
    rows.map((row) =>
      row
        .split(/ {2,}/)
        .filter((cell) => cell !== "")
        .slice(0, 4),
    ),
    [
      ["POD", "REQUESTS", "TURNS", "WORKED"],
      ["lead", "2", "2", "2 min 03 s"],
      ["- segment 0", "1", "1", "1 min 01 s"],
      ["- compactor 865000000002", "0", "0", "0.0 s"],
      ["- segment 1, active", "1", "1", "1 min 01 s"],
      ["- unused 865000000004", "0", "0", "0.0 s"],
      ["kid", "0", "0", "0.0 s"],
      ["all 2", "2", "2", "2 min 03 s"],
      [],
    ],
  );
  assert.match(rows[1] ?? "", / 1800 +12 +640 +3 +1 +\$0\.0123 and 1 request of unknown cost$/);
});

test("JSON: every count of each Pod and segment, and whether all of it was verified", () => {
  const json = usageJson(pods, total, true);
  const own = {
    requests: 1,
    turns: 1,
    run_ms: 61_500,
    usage: spent(1).usage,
    total_cost_usd: 0.0123,
    cost: { known_usd: 0.0123, unpriced_requests: 0 },
    uncounted: { tokens: 0, usd: 0 },
  };
  const nothing = {
    ...own,
    requests: 0,
    turns: 0,
    run_ms: 0,
    usage: noUsage,
    total_cost_usd: 0,
    cost: { known_usd: 0, unpriced_requests: 0 },
  };
  const all = {
    ...own,
    requests: 2,
    turns: 2,
    run_ms: 123_000,
    usage: spent(2).usage,
    total_cost_usd: null,
    cost: { known_usd: 0.0123, unpriced_requests: 1 },
  };
  const rest = { error: null, problems: [] };
  assert.deepEqual(json, {
    pods: [
      {
        name: "lead",
        session_id: session,
        removed: false,
        ...all,
        segments: [
          { segment_id: segment(1), part: "left", generation: 0, ...own },
          { segment_id: segment(2), part: "compactor", generation: 0, ...nothing },
          { segment_id: segment(3), part: "active", generation: 1, ...own },
          { segment_id: segment(4), part: "unused", generation: null, ...nothing },
        ],
        ...rest,
        children: [
          {
            name: "kid",
            session_id: session,
            removed: false,
            ...nothing,
            segments: [],
            ...rest,
            children: [],
          },
        ],
      },
    ],
    total: { pods: 2, ...all },
    verified: true,
  });
});

test("a Pod that was removed: what its parent knew of it, or that nobody does, never 0", () => {
  const removed = { ...leaf, name: "gone", session: null, removed: true };
  const rows = (usage: PodUsage) => usageText([usage], { pods: 0, spent: noSpent }).split("\n")[1];
  assert.match(rows({ ...removed, spent: spent(1) }) ?? "", /^gone, removed +1 +1 .*\$0\.0123$/);
  assert.match(rows({ ...removed, spent: null }) ?? "", /^gone, removed( +-){9}$/);
  const { pods: shown } = usageJson([{ ...removed, spent: null }], { pods: 0, spent: noSpent }, null);
  const [one] = shown as readonly Record<string, unknown>[];
  assert.deepEqual([one?.["requests"], one?.["usage"], one?.["total_cost_usd"]], [null, null, null]);
});

test("what nobody counted is said below the table", () => {
  const uncounted = { ...total, spent: { ...total.spent, estimated_tokens: 1_200 } };
  assert.match(
    usageText(pods, uncounted),
    /\nNot in it: about 1200 tokens of input that nobody counted, which budgets count too\.\n$/,
  );
});

test("durations for people", () => {
  const rows = [
    [0, "0.0 s"],
    [59_940, "59.9 s"],
    [60_000, "1 min 00 s"],
    [3_599_000, "59 min 59 s"],
    [3_600_000, "1 h 00 min"],
    [90_061_000, "25 h 01 min"],
  ] as const;
  for (const [ms, text] of rows) assert.equal(durationText(ms), text);
});
