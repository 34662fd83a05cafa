/** What happened to a Pod or its run, as a sentence each. Texts of others are in them as they are: a view escapes all of it. */
import type {
  ApprovalAnswered,
  Compacted,
  ProjectionChanged,
  Quarantined,
  RunCompleted,
  RunPaused,
} from "@yoi/base";
import type { BlockBody } from "./block.ts";
import { joinedLines } from "./joined-lines.ts";

export type Note = Extract<BlockBody, { readonly kind: "note" }>;

/** Characters that a sentence has of a text that may be long. */
export const previewCharsMax = 160;
/** What is looked at of it: blank lines may stand in it. */
const lookedAtCharsMax = 8 * previewCharsMax;

export function note(level: Note["level"], text: string): Note {
  return { kind: "note", level, text };
}

export function alertText({
  source,
  message,
}: {
  readonly source: string;
  readonly message: string;
}): string {
  return source === "host" || source === "worker" ? message : `${source}: ${message}`;
}

const pauses: { readonly [reason: string]: string } = {
  provider_limit: "for a limit of the provider",
  network: "until the provider can be reached",
  interrupted: "because it was interrupted",
  hook: "by a hook",
  yield: "to make room",
  user: "by you",
};

/** Why something is paused, as `paused for a limit of the provider`. */
export function pausedWords(reason: string): string {
  return `paused ${pauses[reason] ?? `(${reason})`}`;
}

export function pausedNote({ reason, detail, until }: RunPaused): Note {
  const when = until === undefined ? "" : ` until ${timeText(until)}`;
  const why = detail === undefined ? "" : `: ${preview(detail)}`;
  return note("warn", `${pausedWords(reason)}${when}${why}`);
}

/** Null: it ended as runs do. */
export function completedNote({ result, detail }: RunCompleted): Note | null {
  const words = {
    finished: null,
    limit_reached: "stopped at a limit",
    cancelled: "cancelled",
    aborted: "aborted",
  }[result];
  if (words === null) return null;
  return note("warn", detail === undefined ? words : `${words}: ${preview(detail)}`);
}

export function takenBackNote(text: string, waits: boolean): Note {
  return note("info", `${waits ? "waits again" : "taken back"}: ${preview(text)}`);
}

export function compactedNote(entry: Compacted): Note {
  const { outcome, message, tokens_before: before, tokens_after: after } = entry;
  if (outcome === "committed")
    return note(
      "info",
      `history was compacted from about ${tokensText(before)} to ${tokensText(after ?? 0)} tokens: the model reads what stands above under # instead of what came before`,
    );
  const why = message === undefined ? "" : `: ${preview(message)}`;
  const words = { no_progress: "nothing was gained", failed: "it failed", interrupted: "it was interrupted" }[
    outcome
  ];
  return note("warn", `history was not compacted, ${words}${why}`);
}

export function leftOutNote({ reason, message, saved_tokens: saved }: ProjectionChanged): Note {
  if (reason !== "pruned") return note("warn", preview(message));
  const less = saved === undefined ? "" : `, about ${tokensText(saved)} tokens less`;
  return note("info", `what is old is left out of requests${less}: ${preview(message)}`);
}

export function quarantinedNote({ part, message }: Quarantined, target: string): Note {
  return note("warn", `the ${part} of the entry ${target} is left out of requests: ${preview(message)}`);
}

/** Null: it counts for the one call, which shows it. */
export function answeredNote({ answer, keep, allowed_by: by = [] }: ApprovalAnswered): Note | null {
  const [first] = by;
  if (first !== undefined) return note("info", `allowed as you keep it: ${preview(first.rule)}`);
  if (answer !== "allow" || keep === undefined) return null;
  const where =
    keep.for === "session"
      ? "in this session"
      : keep.everywhere === true
        ? "always, everywhere"
        : "always, in this workspace";
  const until = keep.expires === undefined ? "" : ` until ${timeText(keep.expires)}`;
  return note("info", `allowed ${where}${until}: ${preview(keep.rule)}`);
}

/** As `2026-11-22 14:05` in UTC. */
export function timeText(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime())
    ? "some time"
    : `${time.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** As 950, 1.2k, 34k, 1.2M. */
export function tokensText(tokens: number): string {
  if (tokens < 1_000) return String(Math.round(tokens));
  const [value, unit] = tokens < 999_500 ? [tokens / 1_000, "k"] : [tokens / 1_000_000, "M"];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

export function preview(text: string): string {
  const whole = text.trim();
  const line = joinedLines(whole.slice(0, lookedAtCharsMax));
  const isAll = line.length <= previewCharsMax && whole.length <= lookedAtCharsMax;
  return isAll ? line : `${line.slice(0, previewCharsMax)}…`;
}
