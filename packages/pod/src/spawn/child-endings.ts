/** Child endings: what a child's log says that ended there, and how its parent's model is told. Pure. */
import { cutUtf8, escapeControls, type LogEntry, type PodName } from "@yoi/base";
import type { Named } from "../inbox/inbox.ts";
import type { LogPart } from "./child-log.ts";

/** The `extension` domain of a hosted child's orderly end. */
export const shutdownDomain = "yoi.shutdown";
/** Endings of one child that are told one by one; those behind them are counted. */
export const endingsToldMax = 8;
/** Bytes of what a log says about an ending that a notice repeats. */
export const endingDetailBytesMax = 512;

/** Something that ended in a child, on record in its log. */
export interface Ending {
  readonly segment: string;
  readonly seq: number;
  /** As the end of a sentence about the child. */
  readonly how: string;
}

/** What ended behind the places where the parts begin: runs that somebody asked for, and the child itself. In log order. */
export function endingsOf(parts: readonly LogPart[]): readonly Ending[] {
  const endings: Ending[] = [];
  // A segment may begin in the middle of a run that was asked for.
  let isAsked = true;
  for (const { segment, entries, from } of parts) {
    for (const entry of entries) {
      if ("opaque" in entry) continue;
      if (entry.kind === "invoke") isAsked = entry.trigger === "user_send" || entry.trigger === "resume";
      const how = endOf(entry, isAsked);
      if (how !== null && entry.seq >= from) endings.push({ segment, seq: entry.seq, how });
    }
  }
  return endings;
}

/** Null: nothing ends with it that is told. */
function endOf(entry: LogEntry, isAsked: boolean): string | null {
  if ("opaque" in entry) return null;
  if (entry.kind === "extension" && entry.domain === shutdownDomain)
    return `was shut down in order${inBrackets(reasonOf(entry.payload))}`;
  if (!isAsked) return null;
  switch (entry.kind) {
    case "run_completed":
      return completed[entry.result] + inBrackets(entry.detail);
    case "run_paused":
      return `is paused: ${entry.reason}${inBrackets(entry.detail)}`;
    case "run_errored":
      return `failed: ${entry.code}${inBrackets(entry.message)}`;
    case "turn_rolled_back":
      return "was stopped before its model began to answer, and its input was taken back";
    default:
      return null;
  }
}

const completed = {
  finished: "finished its run",
  limit_reached: "ended its run at a limit",
  cancelled: "had its run cancelled",
  aborted: "had its run aborted",
} as const;

function reasonOf(payload: unknown): string | undefined {
  const reason = typeof payload === "object" && payload !== null && "reason" in payload ? payload.reason : "";
  return typeof reason === "string" ? reason : undefined;
}

function inBrackets(detail: string | undefined): string {
  if (detail === undefined || detail.trim() === "") return "";
  return ` (${cutUtf8(escapeControls(detail), endingDetailBytesMax)})`;
}

/** The name under which an ending comes in once. Whoever connects cannot choose one that begins like it. */
export function endingName(child: PodName, { segment, seq }: Pick<Ending, "segment" | "seq">): string {
  return `child/${child}/${segment}/${seq}`;
}

/** One notice for each of the first ones, and one for all behind them, under the name of the last. */
export function noticesOf(child: PodName, endings: readonly Ending[]): readonly Named[] {
  const single = endings
    .slice(0, endingsToldMax)
    .map((ending) => noticeOf(child, ending, `The Pod ${child} ${ending.how}.`));
  const rest = endings.slice(endingsToldMax);
  const last = rest.at(-1);
  if (last === undefined) return single;
  const things = rest.length === 1 ? "1 more thing" : `${rest.length} more things`;
  const sentence = `Since then ${things} ended in the Pod ${child}: at last it ${last.how}.`;
  return [...single, noticeOf(child, last, sentence)];
}

function noticeOf(child: PodName, ending: Ending, sentence: string): Named {
  return {
    kind: "pod_event",
    source: child,
    message: `${sentence} ReadPodOutput shows what it said.`,
    reason: "a child's log",
    submission: endingName(child, ending),
  };
}
