/** A pause for a person: why, and until when. */
import { isoTime } from "@yoi/pod";

/** As in JSON. */
export type PausedNow = {
  readonly reason: string;
  /** In ms since the epoch; null: it waits for somebody. */
  readonly until: number | null;
};

const reasons: { readonly [reason: string]: string } = {
  provider_limit: "provider limit",
  network: "no answer",
};

/** As `paused until 2026-11-22 14:05 (provider limit)`, in UTC as everywhere; a pause that waits for somebody is `paused`. */
export function pausedText({ reason, until }: PausedNow): string {
  if (until === null) return "paused";
  return `paused until ${isoTime(until).slice(0, 16).replace("T", " ")} (${reasons[reason] ?? reason})`;
}
