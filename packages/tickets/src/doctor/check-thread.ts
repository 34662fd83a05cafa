/** A thread.md: whether each event can be read, says who and when, and still has the body that it was written with. */
import type { JsonObject } from "@yoi/base";
import { endOf } from "../event-header.ts";
import { isOfState } from "../fold.ts";
import { legacyField } from "../legacy-fields.ts";
import { splitLines } from "../lines.ts";
import { threadName } from "../place.ts";
import type { ParsedEvent, ParsedThread } from "../thread.ts";
import { clockSkewMs, isTicketId, timeOfTicketId } from "../ticket-id.ts";
import { msOfTime } from "../time.ts";
import { checkHistory, isOurs } from "./check-history.ts";
import { sentence } from "./check-item.ts";
import { checkTime } from "./check-time.ts";
import { conflictAt, reportConflict } from "./conflict.ts";
import type { Findings } from "./problem.ts";

export interface CheckedThread {
  readonly id: string;
  readonly text: string;
  readonly thread: ParsedThread;
  /** Of item.md: whether the ticket came in from elsewhere, and when it was created. */
  readonly fields: JsonObject;
  readonly createdAt: string | null;
  readonly nowMs: number;
}

/** The events are read whole all the same. */
const harmless: ReadonlySet<string> = new Set(["event_repeated", "event_woven"]);

export function checkThread(checked: CheckedThread, found: Findings): void {
  const { id, text, thread, fields } = checked;
  const conflict = conflictAt(doubtfulLines(text, thread));
  if (conflict !== null) reportConflict(threadName, conflict, found);
  for (const { check, line, message } of thread.problems) {
    // The marks themselves are text that belongs to no event.
    const isSaid = conflict !== null && check === "text_outside_event";
    if (isSaid) continue;
    found[harmless.has(check) ? "warning" : "error"](check, threadName, sentence(message), { line });
  }
  if (thread.preamble !== "" && conflict === null)
    found.warning(
      "text_outside_event",
      threadName,
      "There is text before the first event: nobody is on record for it.",
      {
        line: 1,
      },
    );
  for (const { event, sum, line } of thread.events) {
    const isUnsealed = sum === "none" && isOurs(event);
    if (sum !== "changed" && !isUnsealed) continue;
    const what = isUnsealed
      ? "This event has an id and no sum: it was written by hand, or its sum was taken out."
      : "This event is not as it was written: its header or its text was edited, or a merge lost lines of it.";
    found.error("event_changed", threadName, `${what} See git log -p for what it was.`, { line });
  }
  const own = thread.events.slice(foreignCount(thread.events, fields));
  checkIds(own, Object.hasOwn(fields, legacyField), found);
  for (const one of own) checkAttributes(one, checked, found);
  checkHistory(id, own, found);
}

/** The lines for which no sum answers, each in its place: a body may well show the marks of a merge. */
function doubtfulLines(text: string, { events }: ParsedThread): string[] {
  const lines = splitLines(text);
  // Each line is looked at and taken away once, however many events lie around it.
  const ends = new Map<string, number[]>();
  for (const [at, line] of lines.entries()) {
    const id = endOf(line)?.id;
    if (id === undefined) continue;
    const before = ends.get(id);
    if (before === undefined) ends.set(id, [at]);
    else before.push(at);
  }
  let taken = 0;
  for (const { line, sum, event } of events) {
    if (sum !== "good") continue;
    const end = ends.get(event.id)?.find((at) => at >= line) ?? lines.length;
    lines.fill("", Math.max(line, taken), end);
    taken = Math.max(taken, end);
  }
  return lines;
}

/** How many events, from the first on, came in from elsewhere, where other rules held: those before the last migration of a ticket that says it came in. */
function foreignCount(events: readonly ParsedEvent[], fields: JsonObject): number {
  if (!Object.hasOwn(fields, legacyField)) return 0;
  return Math.max(
    0,
    events.findLastIndex(({ event }) => event.kind === "migration"),
  );
}

/** What changes a state has an id here, and so a seal; only what came in from an older tool, before anything was written here, has none. */
function checkIds(own: readonly ParsedEvent[], isFromElsewhere: boolean, found: Findings): void {
  const firstOurs = own.findIndex(({ event }) => isOurs(event));
  for (const [at, { event, line }] of own.entries()) {
    const isOwed = !isFromElsewhere || (firstOurs !== -1 && at > firstOurs);
    if (isOurs(event) || !isOwed || !stateKinds.includes(event.kind) || !isOfState(event)) continue;
    found.error(
      "event_id",
      threadName,
      `This ${event.kind} has no id, so it was not written by yoi ticket, and nobody can tell who made it: take it out, and bring the ticket there with yoi ticket status.`,
      { line },
    );
  }
}

const stateKinds: readonly string[] = ["state_changed", "close", "reopen", "migration"];

function checkAttributes(
  { event, line }: ParsedEvent,
  { createdAt, nowMs }: CheckedThread,
  found: Findings,
): void {
  const { id, kind, author, role, at } = event;
  const missing = [...(author === "" ? ["author"] : []), ...(at === "" ? ["at"] : [])];
  if (missing.length > 0)
    found.error(
      "event_incomplete",
      threadName,
      `This ${kind} does not say ${missing.join(" and ")}: add it to its header.`,
      {
        line,
      },
    );
  if (role === null) {
    const message = `This ${kind} does not say in which role (role:) it was made, so nobody can tell whether it was allowed: add it to its header.`;
    // Older tools, which wrote no id either, never said it.
    const isOwed = stateKinds.includes(kind) && isOurs(event);
    found[isOwed ? "error" : "warning"]("event_incomplete", threadName, message, { line });
  }
  if (isOurs(event) && isTicketId(id) && timeOfTicketId(id) > nowMs + clockSkewMs)
    found.warning(
      "date_future",
      threadName,
      `The id of this event (${id}) is a time that is still to come.`,
      {
        line,
      },
    );
  if (at === "") return;
  const ms = checkTime({ file: threadName, line, what: "at", time: at, nowMs }, found);
  const createdMs = createdAt === null ? null : msOfTime(createdAt);
  if (ms !== null && createdMs !== null && ms < createdMs - clockSkewMs)
    found.warning(
      "date_order",
      threadName,
      `This happened (${at}) before the ticket was created (${createdAt}).`,
      {
        line,
      },
    );
}
