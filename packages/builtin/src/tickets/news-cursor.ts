/** NewsCursor: how far the threads are known, in a bounded form that can be put on record. */
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { isTicketId } from "@yoi/tickets";

/** Tickets of a cursor that are named one by one: those of whose events the last known one is the newest. */
export const cursorTicketsMax = 1_024;

export interface NewsCursor {
  /** The id of the last event that is known, by ticket. */
  readonly known: Readonly<Record<string, string>>;
  /** Of tickets that are not named, events up to this id are known; null: none is. */
  readonly since: string | null;
}

/** Sorts before the id of every event. */
export const beforeAllEvents = "0000000000000";

const unnamedEvent = /^@[1-9][0-9]{0,8}$/;

export function isEventId(text: string): boolean {
  return isTicketId(text) || unnamedEvent.test(text);
}

/** Ids of events are times. One that was written without has its number in the thread, and stands before those. */
export function isLaterEvent(id: string, than: string): boolean {
  const [number, other] = [numberOf(id), numberOf(than)];
  if (number !== null && other !== null) return number > other;
  if (number !== null) return than === beforeAllEvents;
  return other === null ? id > than : id !== beforeAllEvents;
}

function numberOf(id: string): number | null {
  return unnamedEvent.test(id) ? Number(id.slice(1)) : null;
}

/** The cursor that a JSON value is; null when it is none. */
export function cursorOf(value: JsonValue | undefined): NewsCursor | null {
  if (!isJsonObject(value)) return null;
  const { known, since, ...others } = value;
  if (!isJsonObject(known) || Object.keys(others).length > 0) return null;
  if (since !== null && (typeof since !== "string" || !isEventId(since))) return null;
  const entries = Object.entries(known);
  if (entries.length > cursorTicketsMax) return null;
  const whole = entries.flatMap(([ticket, event]): readonly (readonly [string, string])[] =>
    isTicketId(ticket) && typeof event === "string" && isEventId(event) ? [[ticket, event]] : [],
  );
  return whole.length === entries.length ? { known: Object.fromEntries(whole), since } : null;
}

export function cursorJson({ known, since }: NewsCursor): JsonObject {
  return deepFreeze({ known: { ...known }, since });
}

/** Of more tickets than are named one by one, those that were quiet for longest are known up to the last event of all of them. `first`: to be named before others. */
export function boundedCursor(
  { known, since }: NewsCursor,
  first: ReadonlySet<string> = new Set(),
): NewsCursor {
  const entries = Object.entries(known);
  if (entries.length <= cursorTicketsMax) return { known, since };
  const newest = entries.toSorted(
    ([ticket, event], [other, last]) =>
      Number(first.has(other)) - Number(first.has(ticket)) || compareEvents(last, event),
  );
  const left = newest.slice(cursorTicketsMax).map(([, event]) => event);
  return {
    known: Object.fromEntries(newest.slice(0, cursorTicketsMax)),
    since: left.reduce((last, event) => (isLaterEvent(event, last) ? event : last), since ?? beforeAllEvents),
  };
}

function compareEvents(a: string, b: string): number {
  if (isLaterEvent(a, b)) return 1;
  return isLaterEvent(b, a) ? -1 : 0;
}

/** Whether an event of a ticket that the cursor does not name is known all the same. */
export function isKnownSince({ known, since }: NewsCursor, ticket: string, event: string): boolean {
  return !Object.hasOwn(known, ticket) && since !== null && !isLaterEvent(event, since);
}
