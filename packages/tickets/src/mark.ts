/** Marks: how far a thread is known, as a short text that finds its place again where git put events before, between or behind what is known. */
import { createHash } from "node:crypto";
import { isTicketId, timeOfTicketId } from "./ticket-id.ts";
import type { TicketEvent } from "./ticket.ts";

/** Known events that may stand behind those that git put in between; behind more, the thread counts as put together anew. */
export const displacedMax = 64;
const digestChars = 12;
/** The digest of a thread without events. */
const noEvents = "0".repeat(digestChars);
/** `<latest time in Unix ms>.<events>.<digest of them>` */
const pattern = new RegExp(`^(0|[1-9][0-9]{0,15})\\.(0|[1-9][0-9]{0,6})\\.([0-9a-f]{${digestChars}})$`);
/** The longest mark. */
export const markCharsMax = 16 + 1 + 7 + 1 + digestChars;

/** An event that was not known, and the mark of the thread with it known too. */
export interface MarkedEvent {
  readonly event: TicketEvent;
  readonly mark: string;
}

/** Of a thread of which exactly these events are known. */
export function markOf(events: readonly TicketEvent[]): string {
  return written(latestMsOf(events), events.length, statesOf(events).at(-1) ?? noEvents);
}

/** The time of the latest event that is known, in Unix milliseconds. 0 for what is no mark. */
export function latestMsOfMark(mark: string): number {
  return parsed(mark)?.latestMs ?? 0;
}

/**
 * The events that are not known, in the order of the thread: those behind the known ones, or one run of them that was put in between. Where the thread only lost events and has
 * none that is later than the known ones, as where an older state was checked out, there are none. Null: what was known does not stand there any more, or
 * `mark` is none.
 */
export function behindMark(events: readonly TicketEvent[], mark: string): readonly MarkedEvent[] | null {
  const known = parsed(mark);
  if (known === null) return null;
  const { count, digest, latestMs } = known;
  const states = statesOf(events);
  const fresh = events.length - count;
  const from = fresh < 0 ? count + 1 : Math.max(0, count - displacedMax);
  for (let at = count; at >= from; at -= 1)
    if (stateBehind(states[at], events.slice(at + fresh)) === digest)
      return marked(events, states, { at, end: at + fresh, latestMs });
  return fresh < 0 && latestMsOf(events) <= latestMs ? [] : null;
}

/** Those from the index `at` on. */
export function behindIndex(events: readonly TicketEvent[], at: number): readonly MarkedEvent[] {
  const latestMs = latestMsOf(events.slice(0, at));
  return marked(events, statesOf(events), { at, end: events.length, latestMs });
}

/** Those later than `ms`. Null: one of them stands before one that is not. */
export function behindTime(events: readonly TicketEvent[], ms: number): readonly MarkedEvent[] | null {
  const at = events.findLastIndex((event) => msOf(event) <= ms) + 1;
  return latestMsOf(events.slice(0, at)) <= ms ? behindIndex(events, at) : null;
}

/** A hash of any text, in 12 hexadecimal digits. */
export function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digestChars);
}

/** @param run the events from `at` to before `end` are not known, all others are. */
function marked(
  events: readonly TicketEvent[],
  states: readonly string[],
  run: { readonly at: number; readonly end: number; readonly latestMs: number },
): readonly MarkedEvent[] {
  const { at, end } = run;
  const displaced = events.slice(end);
  let { latestMs } = run;
  return events.slice(at, end).map((event, index) => {
    latestMs = Math.max(latestMs, msOf(event));
    const state = stateBehind(states[at + index + 1], displaced);
    return { event, mark: written(latestMs, at + index + 1 + displaced.length, state) };
  });
}

/** What each beginning of the thread is, from that without events on. */
function statesOf(events: readonly TicketEvent[]): readonly string[] {
  let state = noEvents;
  return [state, ...events.map((event) => (state = stateWith(state, event)))];
}

function stateBehind(state: string | undefined, events: readonly TicketEvent[]): string {
  return events.reduce(stateWith, state ?? noEvents);
}

/** One without an id has its number in the thread, which says nothing of what it is. */
function stateWith(state: string, { id, kind, author, at }: TicketEvent): string {
  return shortDigest(`${state}\n${JSON.stringify([isTicketId(id) ? id : null, kind, author, at])}`);
}

function latestMsOf(events: readonly TicketEvent[]): number {
  return events.reduce((latest, event) => Math.max(latest, msOf(event)), 0);
}

/** An id is a time; 0 where nothing says it. */
function msOf({ id, at }: TicketEvent): number {
  const ms = isTicketId(id) ? timeOfTicketId(id) : Date.parse(at);
  return ms > 0 ? ms : 0;
}

function written(latestMs: number, count: number, state: string): string {
  return `${latestMs}.${count}.${state}`;
}

function parsed(
  mark: string,
): { readonly latestMs: number; readonly count: number; readonly digest: string } | null {
  const [, latest, count, digest] = pattern.exec(mark) ?? [];
  if (latest === undefined || count === undefined || digest === undefined) return null;
  return { latestMs: Number(latest), count: Number(count), digest };
}
