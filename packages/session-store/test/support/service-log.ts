/** The small log of a Pod that is a service: named submissions, a turn that was rolled back, calls that wait for an answer. */
import { callId, type EntryBody, isKnown, type SystemItem } from "@yoi/base";
import { builtLog } from "./built-log.ts";
import { notice } from "./inbox-log.ts";
import { sampleEntries, sampleStart } from "./sample-log.ts";

const digest = (letter: string): string => letter.repeat(64);
const attached = (body: string): SystemItem => notice(body, { kind: "file_attachment", source: "host" });
const request = (through: number, items: number): EntryBody => {
  const sample = sampleEntries.filter(isKnown).find((entry) => entry.kind === "llm_request");
  if (sample === undefined) throw new Error("the sample log has no request");
  const { seq: _seq, batch: _batch, ts: _ts, ...body } = sample;
  return { ...body, through, items };
};
const counted = (of: number, input_tokens: number, output_tokens: number): EntryBody => ({
  kind: "llm_usage",
  request: of,
  finish: output_tokens === 0 ? "interrupted" : "tool_calls",
  usage: { input_tokens, output_tokens, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
});
const called = (of: number, index: number): EntryBody => ({
  kind: "assistant_item",
  request: of,
  index,
  item: { type: "tool_call", call: callId(of, index), name: "Bash", arguments: `{"command":"rm ${index}"}` },
});
const asked = (of: number, index: number, letter: string): EntryBody => ({
  kind: "approval_asked",
  call: callId(of, index),
  digest: digest(letter),
  reason: "The rule `ask Bash(rm *)` asks for it.",
  expires: 1_767_312_000_000,
});

/** Seqs in comments are those that others name. */
export const serviceBodies: readonly EntryBody[] = [
  { ...sampleStart, states: {}, kind: "segment_start", carried: 0 },
  { kind: "segment_ready" },
  { kind: "opened", epoch: 1, version: "0.1.0" },
  { kind: "inbox_accepted", item: notice("The build is red."), submission: "n-1" }, // 3
  { kind: "invoke", trigger: "user_send" }, // 4
  {
    kind: "user_input",
    parts: [
      { type: "text", text: "Look at " },
      { type: "file_ref", path: "a b.ts" },
      { type: "text", text: " «now» \u{1f600}" },
    ],
    attachments: 2,
    submission: "s-1",
  },
  { kind: "system_item", item: attached("a b.ts") },
  { kind: "system_item", item: attached("c.ts") },
  { kind: "system_item", item: notice("The build is red."), delivers: 3 }, // 8: stays
  request(8, 4), // 9
  counted(9, 50, 0),
  { kind: "turn_rolled_back", from_seq: 4 },
  { kind: "invoke", trigger: "user_send" },
  { kind: "user_input", parts: [{ type: "text", text: "Tidy up." }], submission: "s-2" },
  request(13, 2), // 14
  called(14, 0),
  called(14, 1),
  called(14, 2),
  counted(14, 60, 20),
  { kind: "turn_end", turn_count: 1 },
  asked(14, 0, "a"),
  asked(14, 1, "b"),
  asked(14, 2, "c"),
  { kind: "approval_answered", call: callId(14, 0), digest: digest("a"), answer: "allow" },
  { kind: "tool_started", call: callId(14, 0) },
  {
    kind: "approval_answered",
    call: callId(14, 1),
    digest: digest("b"),
    answer: "deny",
    reason: "not that one",
  },
  { kind: "run_paused", reason: "user", detail: "paused by the user" },
  { kind: "opened", epoch: 2, version: "0.1.0" },
];

export const { bytes: serviceBytes, entries: serviceEntries } = builtLog(serviceBodies, [
  [0, 2],
  [4, 7],
  [12, 13],
  [15, 19],
  [20, 22],
]);
