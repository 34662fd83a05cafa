/** Child endings: what a child's log says that ended there, and how its parent's model is told. Pure. */
import { type CallId, cutUtf8, type Entry, escapeControls, type PodName } from "@yoi/base";
import { type LogDamage, type LogPiece, passesByItself } from "@yoi/session-store";
import type { Named } from "../inbox/inbox.ts";
import type { DamagedSegment } from "./child-log.ts";

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
  /** As the end of a sentence about the child. Null: its own orderly end, which whoever takes its loan back says. */
  readonly how: string | null;
  /** The call that waits for the user: until that is over nothing goes on. Null: none does. */
  readonly waiting: CallId | null;
  /** It may go on by itself, once its history is compacted, or its provider or the network is there again: if it does nothing ended. */
  readonly yields: boolean;
}

type ReadEntry = LogPiece["entries"][number];

/** Adds what ends with the next entry of a child's log, and takes away what waited for the user and does so no more, and a run that went on by itself. */
export function takeEntry(endings: Ending[], segment: string, entry: ReadEntry): void {
  const ending = endingOf(segment, entry);
  const over = callOverIn(entry);
  if (endings.at(-1)?.yields === true && isResume(entry)) endings.pop();
  for (let at = endings.length - 1; at >= 0; at -= 1) {
    const call = endings[at]?.waiting ?? null;
    if (call === null) break;
    if (call === over || ending?.waiting === null) endings.splice(at, 1);
  }
  if (ending !== null) endings.push(ending);
}

/** Null: nothing ends with it. A run ends whatever began it: one that a notification began may be the one that gives the answer. */
function endingOf(segment: string, entry: ReadEntry): Ending | null {
  if ("opaque" in entry || "detached" in entry) return null;
  const how = howOf(entry);
  if (how === null && !isShutdown(entry)) return null;
  const waiting = entry.kind === "approval_asked" ? entry.call : null;
  const yields = entry.kind === "run_paused" && (entry.reason === "yield" || passesByItself(entry.reason));
  return { segment, seq: entry.seq, how, waiting, yields };
}

function isResume(entry: ReadEntry): boolean {
  return !("opaque" in entry || "detached" in entry) && entry.kind === "invoke" && entry.trigger === "resume";
}

/** Whether a compaction goes on behind this entry, as far as it says; null: it says nothing of that. */
export function compactsBehind(entry: ReadEntry): boolean | null {
  switch (entry.kind) {
    case "compaction_begun":
      return true;
    // Its process died, and another one has the log.
    case "opened":
    case "compacted":
    case "invoke":
      return false;
    default:
      return null;
  }
}

/** The user answered, or it expired. */
function callOverIn(entry: ReadEntry): CallId | null {
  if ("opaque" in entry || "detached" in entry) return null;
  if (entry.kind === "approval_answered") return entry.call;
  return entry.kind === "tool_result" ? entry.item.call : null;
}

function isShutdown(entry: Entry): boolean {
  return entry.kind === "extension" && entry.domain === shutdownDomain;
}

/** Why the child was shut down, in brackets; "" where the entry does not say. */
export function shutdownReason(entry: ReadEntry): string {
  if ("opaque" in entry || "detached" in entry || entry.kind !== "extension") return "";
  return entry.domain === shutdownDomain ? inBrackets(reasonOf(entry.payload)) : "";
}

function howOf(entry: Entry): string | null {
  switch (entry.kind) {
    case "run_completed":
      return completed[entry.result] + inBrackets(entry.detail);
    case "run_paused":
      return `is paused: ${entry.reason}${inBrackets(entry.detail)}`;
    case "run_errored":
      return `failed: ${entry.code}${inBrackets(entry.message)}`;
    case "approval_asked":
      return `waits for the user to allow or deny a call${inBrackets(entry.reason)}`;
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

/** Once for each segment. */
export function damageNoticeOf(child: PodName, { segment, damage }: DamagedSegment): Named {
  return {
    kind: "pod_event",
    source: child,
    message: `The log of the Pod ${child} is damaged ${damagePlace(damage)}, so what ended in it behind that is not known. ReadPodOutput shows what it said before; tell the user, who sees more with \`yoi pod verify ${child}\`.`,
    reason: "a child's log is damaged",
    submission: `child/${child}/${segment}/damage`,
  };
}

/** Without its path: a model has no use for that. */
export function damagePlace({ line, offset }: Pick<LogDamage, "line" | "offset">): string {
  return `at line ${line} (byte ${offset})`;
}
