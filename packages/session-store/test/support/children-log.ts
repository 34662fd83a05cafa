/** The small log of a Pod that is a parent and a child: what became of its own children with how far it knows their logs, and its orderly end. */
import type { EntryBody } from "@yoi/base";
import { builtLog } from "./built-log.ts";
import { notice } from "./inbox-log.ts";
import { sampleStart } from "./sample-log.ts";

const first = "019b76da-a800-74af-8ffd-2cdf7a317f47";
const second = "019b76da-b000-7111-9aaa-000000000001";

const ended = (child: string, how: string) =>
  notice(`The Pod ${child} ${how}. ReadPodOutput shows what it said.`, {
    kind: "pod_event",
    source: child,
    reason: "a child's log",
  });
const accepted = (child: string, segment: string, through: number, how: string): EntryBody => ({
  kind: "inbox_accepted",
  item: ended(child, how),
  submission: `child/${child}/${segment}/${through}`,
});

/** Seqs in comments are those that others name. */
export const childrenBodies: readonly EntryBody[] = [
  { ...sampleStart, states: {}, kind: "segment_start", carried: 0 },
  { kind: "segment_ready" },
  { kind: "opened", epoch: 1, version: "0.1.0" },
  accepted("mender", first, 9, "finished its run"), // 3
  accepted("mender", first, 14, "failed: overloaded"),
  { kind: "child_cursor", child: "mender", segment: first, through: 14 },
  { kind: "invoke", trigger: "pod_event" },
  { kind: "system_item", item: ended("mender", "finished its run"), delivers: 3 },
  accepted("tester", second, 20, "is paused: interrupted"),
  { kind: "child_cursor", child: "tester", segment: second, through: 20 },
  { kind: "run_completed", result: "cancelled" },
  { kind: "child_cursor", child: "mender", segment: second, through: 0 },
  { kind: "extension", domain: "yoi.shutdown", payload: { reason: "SIGTERM" } },
  { kind: "opened", epoch: 2, version: "0.1.0" },
];

export const { bytes: childrenBytes } = builtLog(childrenBodies, [
  [0, 2],
  [3, 5],
  [8, 9],
]);
