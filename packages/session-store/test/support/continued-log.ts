/** The small log of a segment that goes on from another one: all that it can carry, begin with, and be told of pruning and compaction. */
import {
  callId,
  continuedLogSchema,
  type EntryBody,
  type Item,
  segmentId,
  type Spent,
  type Usage,
} from "@yoi/base";
import { builtLog } from "./built-log.ts";
import { notice } from "./inbox-log.ts";
import { sampleRef, sampleStart } from "./sample-log.ts";

export const leftSegment = segmentId("019b76da-a800-74af-8ffd-2cdf7a317f00");
const origin = { segment_id: leftSegment, seq: 57, sum: "00c0ffee00c0ffee" };
const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const usage: Usage = {
  input_tokens: 900,
  output_tokens: 100,
  cache_read_tokens: 50,
  cache_write_tokens: 0,
  reasoning_tokens: 7,
};
const spent = (requests: number, run_ms: number): Spent => ({
  requests,
  usage,
  cost_nano_usd: 1_500_000,
  unpriced_requests: 1,
  turns: requests,
  run_ms,
});
const question: Item = { type: "user_message", parts: [{ type: "text", text: "Go on, «now» \u{1f600}." }] };
const call = (request: number, index: number): Item => ({
  type: "tool_call",
  call: callId(request, index),
  name: "Bash",
  arguments: '{"command":"ls"}',
});

/** Seqs in comments are those that others name. */
export const continuedBodies: readonly EntryBody[] = [
  {
    ...sampleStart,
    kind: "segment_start",
    schema: continuedLogSchema,
    turn_count: 12,
    compacted_from: origin,
    generation: 1,
    left: origin,
    spent: spent(14, 61_000),
    calibration: { "anthropic/claude-x": { bytes: 40_000, tokens: 10_000 } },
    measured: { items: 4, tokens: 1_234 },
    projection: { prune_before: 2, quarantined: [{ target: 3, part: "images" }] },
    paused: { reason: "yield", detail: "the context is full", until: 1_767_225_700_000 },
    submissions: [{ name: "s-1", id: "4", digest }],
    carried: 11,
  },
  {
    kind: "carried",
    of: "item",
    id: "1-2",
    item: { ...notice("What was done."), kind: "summary", source: "host" },
    folded: true,
  },
  { kind: "carried", of: "item", id: "4", item: question, folded: true },
  { kind: "carried", of: "item", id: "20", item: call(19, 0), folded: true },
  { kind: "carried", of: "item", id: "21", item: call(19, 1), folded: true },
  { kind: "carried", of: "tool_started", call: callId(19, 1) },
  { kind: "carried", of: "inbox_accepted", item: notice("Still waiting."), id: "30" }, // 6
  { kind: "carried", of: "inbox_accepted", item: notice("Quietly."), id: "31", quiet: true }, // 7
  { kind: "carried", of: "child_cursor", child: "mender", segment: leftSegment, through: 9 },
  { kind: "carried", of: "extension", domain: "metrics", payload: [1.5, null] },
  { kind: "carried", of: "extension", domain: "yoi.features", payload: [] },
  {
    kind: "carried",
    of: "item",
    id: "22",
    item: { type: "assistant_message", text: "", status: "incomplete" },
  },
  { kind: "segment_ready" },
  { kind: "opened", epoch: 4, version: "0.1.0" },
  {
    kind: "compacted",
    trigger: "threshold",
    outcome: "committed",
    compactor: leftSegment,
    spent: spent(2, 0),
    tokens_before: 150_000,
    tokens_after: 12_000,
    items_before: 400,
    items_after: 5,
    items_kept: 3,
  },
  { kind: "invoke", trigger: "resume" },
  { kind: "system_item", item: notice("Still waiting."), delivers: 6 },
  { kind: "quarantined", target: 2, part: "reasoning", message: "the signature is not valid" },
  {
    kind: "projection",
    projection: { prune_before: 4, quarantined: [{ target: 3, part: "images" }] },
    reason: "pruned",
    message: "Old contents are left out.",
    saved_tokens: 5_000,
  },
  {
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(19, 1),
      name: "Bash",
      summary: "outcome unknown",
      is_error: true,
    },
  },
  { kind: "user_input", parts: [{ type: "text", text: "And this?" }], submission: "s-2" }, // 20
  {
    kind: "llm_request",
    through: 20,
    items: 8,
    projection: { prune_before: 4 },
    tools: digest,
    config: sampleStart.config,
    adapter: { name: "anthropic", version: "4.0.1" },
    lowering: 1,
    digest,
    wire: { sha256: digest, bytes: 8_000, method: "POST", path: "/v1/messages", headers: {} },
  },
  {
    kind: "assistant_item",
    request: 21,
    index: 0,
    item: { type: "tool_call", call: callId(21, 0, 1), name: "Bash", arguments: "{}" },
  },
  { kind: "llm_usage", request: 21, usage, cost_nano_usd: 250, finish: "tool_calls" },
  { kind: "turn_end", turn_count: 13 },
  { kind: "run_paused", reason: "network", detail: "no route", until: 1_767_225_800_000 },
  { kind: "compaction_begun", trigger: "user", compactor: null, tokens: 90_000 },
];

/** The segment was written whole, in one write; an input comes with the request behind it. */
const log = builtLog(
  continuedBodies,
  [
    [0, 14],
    [21, 24],
  ],
  origin.sum,
);
export const continuedBytes = log.bytes;
export const continuedEntries = log.entries;
export const continuedRef = sampleRef;
