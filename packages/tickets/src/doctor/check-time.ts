/** Times in a ticket: ISO 8601 in UTC, and none of a day to come. */
import { clockSkewMs } from "../ticket-id.ts";
import { msOfTime } from "../time.ts";
import type { Findings } from "./problem.ts";

interface Said {
  readonly file: string;
  readonly line?: number;
  /** The name under which it stands there. */
  readonly what: string;
  readonly time: string;
  readonly nowMs: number;
}

/** The time in Unix milliseconds; null, and it is reported: there is none. */
export function checkTime({ file, line, what, time, nowMs }: Said, found: Findings): number | null {
  const at = line === undefined ? {} : { line };
  const ms = msOfTime(time);
  if (ms === null)
    found.error(
      "date_invalid",
      file,
      `${what} is ${JSON.stringify(time)}, which is no time in UTC such as 2026-06-03T12:23:17.001Z: set it right.`,
      at,
    );
  else if (ms > nowMs + clockSkewMs)
    found.warning(
      "date_future",
      file,
      `${what} is ${time}, which is still to come: set it right, or the clock.`,
      at,
    );
  return ms;
}
