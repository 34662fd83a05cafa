/** NewsReader: what happened in threads behind a cursor. */
import { canonicalJson, type JsonObject } from "@yoi/base";
import type { Cursor, TicketNews, TicketStore } from "@yoi/tickets";
import { fitting } from "./fitting.ts";
import { beforeAllEvents, boundedCursor, cursorJson, isKnownSince, type NewsCursor } from "./news-cursor.ts";
import { newsJson } from "./service-json.ts";
import { newsBytesMax, newsEventsMax } from "./ticket-service.ts";

/** Events that are asked for at a time where none of them is told. */
const eventsReadMax = 4_096;

interface NewsWish {
  /** Null: from now on, and what brought tickets that wait in `queued` there. */
  readonly cursor: NewsCursor | null;
  /** Of every ticket, not only of those that the cursor names. */
  readonly all: boolean;
}

export class NewsReader {
  readonly #store: Pick<TicketStore, "news">;
  /** What the store knows of a cursor that names not all: read once, not at every look. */
  #whole: { readonly of: string; readonly cursor: Cursor } | null = null;

  constructor(store: Pick<TicketStore, "news">) {
    this.#store = store;
  }

  async news({ cursor, all }: NewsWish): Promise<JsonObject> {
    if (cursor === null) return { events: [], cursor: cursorJson(await this.#fromNow(all)), more: false };
    const whole = all ? await this.#wholeOf(cursor) : cursor.known;
    const { events, more } = await this.#store.news(whole, { all, max: newsEventsMax });
    if (events.length === 0) return { events: [], cursor: cursorJson(cursor), more: false };
    const shown = events.map(newsJson);
    const count = Math.max(1, fitting(shown, newsBytesMax));
    const told = events.slice(0, count);
    const next = { known: after(cursor.known, told), since: cursor.since };
    const bounded = all ? boundedCursor(next) : next;
    if (all) this.#whole = { of: canonicalJson(cursorJson(bounded)), cursor: after(whole, told) };
    return {
      events: shown.slice(0, count),
      cursor: cursorJson(bounded),
      more: more || count < shown.length,
    };
  }

  /** With all tickets that the cursor knows without naming them. */
  async #wholeOf(cursor: NewsCursor): Promise<Cursor> {
    if (cursor.since === null) return cursor.known;
    const of = canonicalJson(cursorJson(cursor));
    if (this.#whole?.of === of) return this.#whole.cursor;
    const whole = new Map(Object.entries(cursor.known));
    await this.#each(({ ticket, event }) => {
      if (isKnownSince(cursor, ticket, event.id)) whole.set(ticket, event.id);
    });
    this.#whole = { of, cursor: Object.fromEntries(whole) };
    return this.#whole.cursor;
  }

  async #fromNow(all: boolean): Promise<NewsCursor> {
    if (!all) return { known: {}, since: null };
    const known = new Map<string, string>();
    const queued = new Map<string, string>();
    await this.#each(({ ticket, event }) => {
      if (event.to === "queued") queued.set(ticket, known.get(ticket) ?? beforeAllEvents);
      else if (event.to !== undefined) queued.delete(ticket);
      known.set(ticket, event.id);
    });
    for (const [ticket, before] of queued) known.set(ticket, before);
    return boundedCursor({ known: Object.fromEntries(known), since: null }, new Set(queued.keys()));
  }

  /** Of all threads, from their beginnings. */
  async #each(each: (news: TicketNews) => void): Promise<void> {
    let cursor: Cursor = {};
    for (;;) {
      const found = await this.#store.news(cursor, { all: true, max: eventsReadMax });
      for (const one of found.events) each(one);
      ({ cursor } = found);
      if (!found.more) return;
    }
  }
}

function after(cursor: Cursor, events: readonly TicketNews[]): Cursor {
  return { ...cursor, ...Object.fromEntries(events.map(({ ticket, event }) => [ticket, event.id])) };
}
