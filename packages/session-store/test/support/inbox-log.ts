/** The small log of what came after the first format: notices that wait and are delivered, what somebody keeps in the log, notification runs. */
import type { EntryBody, SystemItem } from "@yoi/base";
import { builtLog } from "./built-log.ts";
import { sampleStart } from "./sample-log.ts";

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

export const {
  lines: inboxLines,
  bytes: inboxBytes,
  entries: inboxEntries,
} = builtLog(inboxBodies, [
  [0, 2],
  [4, 5],
]);
