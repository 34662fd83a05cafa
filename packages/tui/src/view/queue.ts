/** Queue: inputs that wait for their time, each with when that is, or that it waits for the user. */
import { flattenInput, type QueueTime } from "@yoi/base";
import type { PodSession } from "../session/session.ts";
import { joinedLines } from "../session/joined-lines.ts";
import type { Line } from "./line.ts";
import { headOf, safeHead } from "./safe.ts";
import type { ViewOptions } from "./theme.ts";
import { truncate } from "./width.ts";

const sign = "»";
const rowsMax = 4;

const times: Readonly<Record<QueueTime, string>> = {
  boundary: "with the next request",
  run_end: "after this run",
};

/** The last row says how many more there are, where there are. */
export function queueLines(
  { queue, queueHeld }: PodSession,
  { columns, theme }: ViewOptions,
): readonly Line[] {
  const shown = queue.length <= rowsMax ? queue : queue.slice(0, rowsMax - 1);
  const rows = shown.map(({ when, parts }) => {
    const text = safeHead(joinedLines(headOf(flattenInput(parts).trimStart(), columns)).trimEnd(), columns);
    return `${theme.dim(`${queueHeld ? "held" : times[when]}:`)} ${theme.user(text)}`;
  });
  const more = queue.length === shown.length ? [] : [theme.dim(`… ${queue.length - shown.length} more`)];
  return [...rows, ...more].map((row) => truncate(`${theme.accent(sign)} ${row}`, columns));
}
