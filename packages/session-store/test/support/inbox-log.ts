/** The small log of what came after the first format: notices that wait and are delivered, what somebody keeps in the log, notification runs. */
import type { EntryBody, LogEntry, SystemItem } from "@yoi/base";
import { decodeEntry, entryJson } from "../../src/log-entry.ts";
import { type BuiltLine, chainLines, sampleStart } from "./sample-log.ts";

export const notice = (body: string, more: Partial<SystemItem> = {}): SystemItem => ({
  type: "system_item",
  kind: "notification",
  source: "project:ci",
  body,
  ...more,
});

/** Seqs in comments are those that others name. */
export const inboxBodies: readonly EntryBody[] = [
  { ...sampleStart, states: {}, kind: "segment_start", carried: 0 },
  { kind: "segment_ready" },
  { kind: "opened", epoch: 1, version: "0.1.0" },
  {
    kind: "extension",
    domain: "yoi.features",
    payload: [{ id: "builtin:task", status: "installed", digest: "9f86d081" }],
  },
  { kind: "inbox_accepted", item: notice("The build is red.\n\u2028 «ünïcödé» \u{1f600}", { reason: "ci" }) }, // 4
  { kind: "inbox_accepted", item: notice("The build is green again.") }, // 5
  { kind: "invoke", trigger: "notify" },
  {
    kind: "system_item",
    item: notice("The build is red.\n\u2028 «ünïcödé» \u{1f600}", { reason: "ci" }),
    delivers: 4,
  },
  { kind: "inbox_accepted", item: notice("A reviewer asks for tests.", { source: "host" }) }, // 8
  { kind: "run_paused", reason: "interrupted", detail: "the process that ran it ended before the run did" },
  { kind: "extension", domain: "metrics", payload: 1.5 },
  { kind: "opened", epoch: 2, version: "0.1.0" },
  { kind: "invoke", trigger: "resume" },
  { kind: "system_item", item: notice("The build is green again."), delivers: 5 },
  { kind: "run_completed", result: "cancelled" },
  { kind: "extension", domain: "metrics", payload: null },
];

/** The writes that bring more than one line, by the seqs of their first and last one. */
const inboxWrites: readonly (readonly [number, number])[] = [
  [0, 2],
  [4, 5],
];
const batchOf = (seq: number): number =>
  inboxWrites.find(([first, last]) => first <= seq && seq <= last)?.[0] ?? seq;

const jsons = inboxBodies.map(({ kind, ...fields }, seq) =>
  entryJson({ seq, batch: batchOf(seq), ts: 1_767_225_600_000 + seq }, kind, fields),
);
export const inboxLines: readonly BuiltLine[] = chainLines(jsons);
export const inboxBytes: Buffer = Buffer.concat(inboxLines.map((line) => line.bytes));
export const inboxEntries: readonly LogEntry[] = jsons.map((json, seq) => {
  const decoded = decodeEntry(json, seq, batchOf(seq));
  if ("wrong" in decoded || "detached" in decoded.entry) throw new Error(`the inbox log is wrong at ${seq}`);
  return decoded.entry;
});
