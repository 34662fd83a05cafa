/** What is new in threads since somebody last looked: cheap where nothing was written. */
import { join } from "node:path/posix";
import { YoiError } from "@yoi/base";
import { stampOf, ticketIds } from "./catalog.ts";
import { folderOf, isRootThere, threadName, type TicketPlace } from "./place.ts";
import type { Cursor, News, TicketNews } from "./store.ts";
import { findTicket } from "./stored-ticket.ts";
import { isTicketId } from "./ticket-id.ts";
import type { TicketEvent } from "./ticket.ts";

export class NewsDesk {
  readonly #place: TicketPlace;
  /** What each thread was when it was read, and the known event behind which nothing stood then. */
  readonly #known = new Map<string, { readonly stamp: string; readonly quietAt: string | null }>();

  constructor(place: TicketPlace) {
    this.#place = place;
  }

  async news(cursor: Cursor, { all, max }: { readonly all: boolean; readonly max: number }): Promise<News> {
    const ids = await this.#looked(cursor, all);
    const events: TicketNews[] = [];
    const known: Record<string, string> = { ...cursor };
    for (const id of ids) {
      const { title, fresh } = await this.#behind(id, cursor[id] ?? null);
      for (const event of fresh) {
        if (events.length === max) return { events, cursor: known, more: true };
        events.push({ ticket: id, title, event });
        known[id] = event.id;
      }
    }
    return { events, cursor: known, more: false };
  }

  async #looked(cursor: Cursor, all: boolean): Promise<readonly string[]> {
    if (all) return ticketIds(this.#place);
    if (!(await isRootThere(this.#place))) return [];
    return Object.keys(cursor).filter(isTicketId).toSorted();
  }

  async #behind(
    id: string,
    knownId: string | null,
  ): Promise<{ readonly title: string; readonly fresh: readonly TicketEvent[] }> {
    const nothing = { title: "", fresh: [] };
    const stamp = await stampOf(join(folderOf(this.#place, id), threadName), this.#place);
    const known = this.#known.get(id);
    if (known?.stamp === stamp && known.quietAt === knownId) return nothing;
    const found = await this.#read(id);
    if (found === null) {
      this.#known.delete(id);
      return nothing;
    }
    const events = found.thread.events.map(({ event }) => event);
    const fresh = behind(sinceImport(events), knownId);
    this.#known.set(id, { stamp, quietAt: fresh.at(-1)?.id ?? knownId });
    return { title: found.title, fresh };
  }

  /** Null: it is gone, or cannot be read now; what it says then is news once it can. */
  async #read(id: string): ReturnType<typeof findTicket> {
    try {
      return await findTicket(this.#place, id);
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      if (error.code !== "ticket_damaged" && error.code !== "permission_denied") throw error;
      return null;
    }
  }
}

/** What a ticket brought along is no news, and that it came in is some only of one that there is still something to do for. */
function sinceImport(events: readonly TicketEvent[]): readonly TicketEvent[] {
  const at = events.findLastIndex(({ kind }) => kind === "migration");
  return events.slice(events[at]?.to === "closed" ? at + 1 : Math.max(0, at));
}

/**
 * In the order of the thread. Where the known event is not there any more, as when the history of a repository was written anew, what stands behind the last one that is no
 * later than it.
 */
function behind(events: readonly TicketEvent[], knownId: string | null): readonly TicketEvent[] {
  if (knownId === null) return events;
  const at = events.findLastIndex(({ id }) => id === knownId);
  if (at !== -1) return events.slice(at + 1);
  return events.slice(events.findLastIndex(({ id }) => id <= knownId) + 1);
}
