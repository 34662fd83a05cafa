/** NewsCursor: how far the threads are known, in a bounded form that can be put on record. */
import { deepFreeze, isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { type Cursor, isTicketId, latestMsOfMark, markCharsMax, type TicketNews } from "@yoi/tickets";

/**
 * Tickets of a cursor that are named one by one: those in which something happened last. Of the others all is known up to one time: what git brings into one of
 * them with an earlier date, while nobody looks, is not told.
 */
export const cursorTicketsMax = 1_024;

/** A ticket's `known` is what `TicketNews.mark` said; one that says nothing is told as put together anew. */
export type NewsCursor = Cursor;

/** The cursor that a JSON value is, without what names no ticket; null when it is none. */
export function cursorOf(value: JsonValue | undefined): NewsCursor | null {
  const { known, since_ms: sinceMs } = isJsonObject(value) ? value : {};
  const marks = marksOf(known);
  if (marks === null || Object.keys(marks).length > cursorTicketsMax) return null;
  if (sinceMs !== null && (typeof sinceMs !== "number" || !(sinceMs >= 0))) return null;
  return { known: marks, sinceMs };
}

export function cursorJson({ known, sinceMs }: NewsCursor): JsonObject {
  return deepFreeze({ known: { ...known }, since_ms: sinceMs });
}

/** By ticket; null where the value is no object. */
export function marksOf(value: JsonValue | undefined): Cursor["known"] | null {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(
    Object.entries(value).flatMap(([ticket, mark]) =>
      isTicketId(ticket) ? [[ticket, typeof mark === "string" ? mark.slice(0, markCharsMax) : ""]] : [],
    ),
  );
}

/** With the news known too. */
export function cursorBehind(
  { known, sinceMs }: NewsCursor,
  news: readonly Pick<TicketNews, "ticket" | "mark">[],
): NewsCursor {
  const last = Object.fromEntries(news.map(({ ticket, mark }) => [ticket, mark]));
  return boundedCursor({ known: { ...known, ...last }, sinceMs });
}

/** @param first tickets that are named before others. */
export function boundedCursor(
  { known, sinceMs }: NewsCursor,
  first: ReadonlySet<string> = new Set(),
): NewsCursor {
  const entries = Object.entries(known);
  if (entries.length <= cursorTicketsMax) return { known, sinceMs };
  const rank = (ticket: string, mark: string) => (first.has(ticket) ? Infinity : latestMsOfMark(mark));
  const newest = entries
    .map(([ticket, mark]) => ({ ticket, mark, rank: rank(ticket, mark) }))
    .toSorted((a, b) => (a.rank === b.rank ? 0 : b.rank - a.rank));
  const others = newest.slice(cursorTicketsMax).map(({ mark }) => latestMsOfMark(mark));
  return {
    known: Object.fromEntries(newest.slice(0, cursorTicketsMax).map(({ ticket, mark }) => [ticket, mark])),
    sinceMs: others.reduce((latest, ms) => Math.max(latest, ms), sinceMs ?? 0),
  };
}
