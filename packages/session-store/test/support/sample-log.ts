/** A log of 6 to 8 KB with every kind that this version writes: one session with reasoning, tools, a retry, a pause and a resume. */
import {
  callId,
  logSchema,
  segmentId,
  sessionId,
  type EntryBody,
  type LogEntry,
  type RequestConfig,
  type SegmentStart,
} from "@yoi/base";
import { encodeLine, noSum } from "../../src/line.ts";
import { decodeEntry, entryJson } from "../../src/log-entry.ts";
import type { SegmentRef } from "../../src/index.ts";

export const sampleRef: SegmentRef = {
  session: sessionId("019b76da-a800-74ae-aee1-0fe69280eea8"),
  segment: segmentId("019b76da-a800-74af-8ffd-2cdf7a317f47"),
};
const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const config: RequestConfig = { model: "anthropic/claude-x", max_output_tokens: 8192 };

export const sampleStart: Omit<SegmentStart, "kind" | "carried"> = {
  schema: logSchema,
  session_id: sampleRef.session,
  segment_id: sampleRef.segment,
  config,
  prompt: "You are yoi.\nWork in /proj. \u2028 \u{1f600} «ünïcödé» \ud800",
  documents: [{ path: "/proj/AGENTS.md", sha256: digest, bytes: 120, truncated: false }],
  turn_count: 0,
  states: { "builtin:task": { open: ["write tests"], done: null } },
};

function request(through: number, items: number): EntryBody {
  return {
    kind: "llm_request",
    through,
    items,
    projection: { prune_before: null },
    tools: digest,
    config,
    adapter: { name: "anthropic", version: "4.0.1" },
    lowering: 1,
    digest,
    wire: {
      sha256: digest,
      bytes: 2048,
      method: "POST",
      path: "/v1/messages",
      headers: { "anthropic-version": "2023-06-01" },
    },
  };
}

function answered(requestSeq: number, input: number, output: number): EntryBody {
  const usage = {
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: 0,
    cache_write_tokens: 12,
    reasoning_tokens: 5,
  };
  return { kind: "llm_usage", request: requestSeq, usage, finish: "tool_calls" };
}

/** What follows `segment_start`, `segment_ready` and the first `opened` (seq 0 to 2); seqs in comments are those that others name. */
export const sampleBodies: readonly EntryBody[] = [
  {
    kind: "tools_changed",
    tools: [
      {
        name: "Bash",
        description: "Run a command.",
        input_schema: { type: "object", properties: { command: { type: "string" } } },
      },
    ],
    digest,
  },
  { kind: "invoke", trigger: "user_send" },
  { kind: "user_input", parts: [{ type: "text", text: 'List the files,\nthen "fix" the test.' }] },
  {
    kind: "system_item",
    item: {
      type: "system_item",
      kind: "notification",
      source: "host",
      reason: "a file changed",
      body: "[Notification]\na.ts changed",
    },
  },
  request(6, 2), // 7
  { kind: "assistant_partial", request: 7, index: 0, block: "reasoning", from: 0, text: "The user wants" },
  { kind: "assistant_partial", request: 7, index: 0, block: "reasoning", from: 14, text: " a list." },
  {
    kind: "assistant_item",
    request: 7,
    index: 0,
    item: {
      type: "reasoning",
      text: "The user wants a list. Then a fix.",
      status: "completed",
      provider_data: { provider: "anthropic", metadata: { signature: "EuYBCkQYAiJA" } },
    },
  },
  {
    kind: "assistant_item",
    request: 7,
    index: 1,
    item: { type: "assistant_message", text: "I look first.", status: "completed" },
  },
  {
    kind: "assistant_item",
    request: 7,
    index: 2,
    item: {
      type: "tool_call",
      call: callId(7, 2),
      name: "Bash",
      arguments: '{"command":"ls -1"}',
      provider_call_id: "toolu_01",
    },
  },
  {
    kind: "assistant_item",
    request: 7,
    index: 3,
    item: { type: "tool_call", call: callId(7, 3), name: "Bash", arguments: '{"command":"rm -rf build"' },
  },
  answered(7, 900, 80),
  { kind: "tool_started", call: callId(7, 2) },
  {
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(7, 3),
      name: "Bash",
      summary: "arguments are not valid JSON",
      is_error: true,
    },
  },
  {
    kind: "tool_result",
    item: {
      type: "tool_result",
      call: callId(7, 2),
      name: "Bash",
      summary: "exit 0",
      content: "a.ts\nb.ts\n",
      is_error: false,
    },
  },
  request(17, 8), // 18
  { kind: "assistant_partial", request: 18, index: 0, block: "text", from: 0, text: "Now I" },
  { kind: "run_paused", reason: "interrupted", detail: "the process ended", until: 1767225700000 },
  { kind: "opened", epoch: 2, version: "0.1.0" },
  { kind: "invoke", trigger: "resume" },
  {
    kind: "assistant_item",
    request: 18,
    index: 0,
    item: { type: "assistant_message", text: "Now I", status: "incomplete" },
  },
  {
    kind: "config_changed",
    config: { ...config, model: "openai/gpt-x", temperature: 0.5, reasoning: "high" },
  },
  {
    kind: "system_item",
    item: { type: "system_item", kind: "interrupt", source: "host", body: "The answer was cut short." },
  },
  request(25, 10), // 26
  {
    kind: "assistant_item",
    request: 26,
    index: 0,
    item: { type: "assistant_message", text: "Done: a.ts is fixed.", status: "completed" },
  },
  answered(26, 1100, 40),
  { kind: "turn_end", turn_count: 1 },
  { kind: "run_completed", result: "finished", detail: "turn ended" },
  { kind: "invoke", trigger: "user_send" },
  {
    kind: "user_input",
    parts: [
      { type: "text", text: "And now?" },
      { type: "text", text: " Well?" },
    ],
  },
  { kind: "run_errored", code: "model_failed", message: "the provider is down (529)" },
];

/** The writes that bring more than one line, by the seqs of their first and last one. */
const sampleWrites: readonly (readonly [number, number])[] = [
  [0, 2],
  [4, 5],
  [10, 14],
  [15, 16],
  [27, 28],
];

export function batchOf(seq: number): number {
  return sampleWrites.find(([first, last]) => first <= seq && seq <= last)?.[0] ?? seq;
}

export interface BuiltLine {
  readonly json: string;
  readonly bytes: Buffer;
  readonly sum: string;
}

/** Chains entry JSON texts (each without a checksum) into lines. */
export function chainLines(jsons: readonly string[], previousSum = noSum): BuiltLine[] {
  let sum = previousSum;
  return jsons.map((json) => {
    const line = encodeLine(json, sum);
    sum = line.sum;
    return { json, bytes: Buffer.from(line.bytes), sum };
  });
}

export const sampleJsons: readonly string[] = [
  { ...sampleStart, kind: "segment_start" as const, carried: 0 },
  { kind: "segment_ready" as const },
  { kind: "opened" as const, epoch: 1, version: "0.1.0" },
  ...sampleBodies,
].map((body, seq) => {
  const { kind, ...fields } = body;
  const place = { seq, batch: batchOf(seq), ts: 1_767_225_600_000 + seq };
  return entryJson(place, kind, fields);
});

export const sampleLines: readonly BuiltLine[] = chainLines(sampleJsons);
export const sampleBytes: Buffer = Buffer.concat(sampleLines.map((line) => line.bytes));
export const sampleEntries: readonly LogEntry[] = sampleJsons.map((json, seq) => {
  const decoded = decodeEntry(json, seq, batchOf(seq));
  if ("wrong" in decoded || "detached" in decoded.entry) throw new Error(`the sample log is wrong at ${seq}`);
  return decoded.entry;
});
