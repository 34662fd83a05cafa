/** What is new in threads since somebody last looked: cheap where nothing was written. */
import { join } from "node:path/posix";
import { YoiError } from "@yoi/base";
import { stampOf, ticketIds } from "./catalog.ts";
import { behindIndex, behindMark, behindTime, latestMsOfMark, type MarkedEvent, markOf } from "./mark.ts";
import { folderOf, isRootThere, threadName, type TicketPlace } from "./place.ts";
import type { Beginning, Cursor, News, TicketNews } from "./store.ts";
import { findTicket, type StoredTicket } from "./stored-ticket.ts";
import { isTicketId } from "./ticket-id.ts";
import type { TicketEvent } from "./ticket.ts";

/** What was read of a ticket: it, that there is none, or why it cannot be read. */
type Found = StoredTicket | { readonly unreadable: string } | null;

export class NewsDesk {
  readonly #place: TicketPlace;
  /** What each thread was when it was read, and its mark. */
  readonly #read = new Map<string, { readonly stamp: string; readonly mark: string }>();

  constructor(place: TicketPlace) {
    this.#place = place;
  }

  async news(cursor: Cursor, { all, max }: { readonly all: boolean; readonly max: number }): Promise<News> {
    const news: TicketNews[] = [];
    const unreadable: string[] = [];
    for (const id of await this.#looked(cursor, all)) {
      const fresh = await this.#behind(id, cursor);
      if ("unreadable" in fresh) unreadable.push(fresh.unreadable);
      else
        for (const one of fresh.news) {
          if (news.length === max) return { news, more: true, unreadable };
          news.push(one);
        }
    }
    return { news, more: false, unreadable };
  }

  /** What is known of every thread by who takes all as known but what brought those that wait in `queued` there. */
  async begin(): Promise<Beginning> {
    const known: Record<string, string> = {};
    const waiting: string[] = [];
    for (const id of await ticketIds(this.#place)) {
      const found = await this.#found(id);
      if (found === null || "unreadable" in found) continue;
      const events = eventsOf(found);
      const at = found.state === "queued" ? events.findLastIndex(({ to }) => to === "queued") : -1;
      known[id] = markOf(at === -1 ? events : events.slice(0, at));
      if (at !== -1) waiting.push(id);
    }
    return { known, waiting };
  }

  async #looked({ known }: Cursor, all: boolean): Promise<readonly string[]> {
    if (all) return ticketIds(this.#place);
    if (!(await isRootThere(this.#place))) return [];
    return Object.keys(known).filter(isTicketId).toSorted();
  }

  async #behind(
    id: string,
    cursor: Cursor,
  ): Promise<{ readonly news: readonly TicketNews[] } | { readonly unreadable: string }> {
    const stamp = await stampOf(join(folderOf(this.#place, id), threadName), this.#place);
    const read = this.#read.get(id);
    const known = cursor.known[id] ?? (isKnown(read?.mark, cursor) ? read?.mark : undefined);
    if (read !== undefined && read.stamp === stamp && read.mark === known) return { news: [] };
    const found = await this.#found(id);
    if (found === null) this.#read.delete(id);
    if (found === null) return { news: [] };
    // It is news once it can be read, which the thread alone does not say.
    if ("unreadable" in found) return found;
    const { title, state } = found;
    const events = eventsOf(found);
    const mark = markOf(events);
    this.#read.set(id, { stamp, mark });
    const fresh = known === undefined ? unnamed(events, cursor) : behindMark(events, known);
    if (fresh === null) return { news: [{ ticket: id, title, state, mark, event: null }] };
    return { news: fresh.map((one) => ({ ticket: id, title, state, ...one })) };
  }

  async #found(id: string): Promise<Found> {
    try {
      return await findTicket(this.#place, id);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      if (error.code !== "ticket_damaged" && error.code !== "permission_denied") throw error;
      return { unreadable: `Ticket ${id} cannot be read: ${error.message}` };
    }
  }
}

function eventsOf({ thread }: StoredTicket): readonly TicketEvent[] {
  return thread.events.map(({ event }) => event);
}

/** Whether whoever does not name the ticket knows all events of the mark. */
function isKnown(mark: string | undefined, { sinceMs }: Cursor): boolean {
  return mark !== undefined && sinceMs !== null && latestMsOfMark(mark) <= sinceMs;
}

/** What a ticket brought along is no news, and that it came in is some only of one that there is still something to do for. */
function unnamed(events: readonly TicketEvent[], { sinceMs }: Cursor): readonly MarkedEvent[] | null {
  const at = events.findLastIndex(({ kind }) => kind === "migration");
  const first = events[at]?.to === "closed" ? at + 1 : Math.max(0, at);
  if (sinceMs === null) return behindIndex(events, first);
  const fresh = behindTime(events, sinceMs);
  return fresh?.slice(Math.max(0, first - events.length + fresh.length)) ?? null;
}
