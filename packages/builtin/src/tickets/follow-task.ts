/** FollowTask: tells the Pod what others do with the tickets that it follows, each event once, also what was done while the Pod was down. */
import { type ErrorCode, messageOf, YoiError } from "@yoi/base";
import type { DiagnosticSink, NotificationSink } from "@yoi/feature";
import { ticketStates } from "@yoi/tickets";
import type { FollowedTickets } from "./followed-tickets.ts";
import { boundedCursor, cursorJson, cursorOf, isLaterEvent, type NewsCursor } from "./news-cursor.ts";
import { type NewsItem, newsOf, newsText, newsTextBytesMax } from "./news-text.ts";
import type { TicketClient } from "./ticket-client.ts";

/** Between two looks for news. */
const lookWaitMs = 1_000;
/** Before news are asked for again where the service failed; twice as long after each failure. */
const failureWaitMs = 1_000;
const failureWaitMsMax = 60_000;
/** Before what was refused for want of room is told again. */
const refusedWaitMs = 5_000;
/** Tries after which it cannot be the limit of a minute that refuses: the text is made shorter. */
const refusalsOfAMinute = 13;
const textBytesMin = 1_024;

/** Resolves after so many milliseconds, or when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

interface FollowParts {
  readonly tickets: TicketClient;
  readonly followed: FollowedTickets;
  readonly notifications: NotificationSink;
  readonly diagnostics: DiagnosticSink;
  readonly wait: Wait;
  /** Whose events are no news to it. */
  readonly self: { readonly author: string; readonly role: string };
  /** It follows every ticket. */
  readonly all: boolean;
}

export class FollowTask {
  readonly #parts: FollowParts;
  /** How far the threads are known; null: no one has looked yet. */
  #cursor: NewsCursor | null = null;
  #failures = 0;

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts. Rejects for nothing that the service or the inbox does. */
  async run(signal: AbortSignal): Promise<void> {
    const { notifications, diagnostics } = this.#parts;
    const stopped = stopOf(signal);
    const position = notifications.position();
    this.#cursor = cursorOf(position ?? undefined);
    if (position !== null && this.#cursor === null)
      diagnostics.warning(
        "How far tickets were told is on record in a form that this yoi does not know: it begins anew.",
      );
    while (!signal.aborted) {
      try {
        const items = await Promise.race([this.#next(), stopped]);
        if (items === null) return;
        this.#failures = 0;
        if (items.length === 0) await this.#parts.wait(lookWaitMs, signal);
        else await this.#tell(items, signal, stopped);
      } catch (error) {
        if (signal.aborted || isOf(error, "cancelled")) return;
        if (this.#failures === 0)
          diagnostics.warning(
            `What happens to tickets cannot be told now, and is told later: ${messageOf(error)}`,
          );
        const ms = Math.min(failureWaitMs * 2 ** Math.min(this.#failures, 16), failureWaitMsMax);
        this.#failures += 1;
        await this.#parts.wait(ms, signal);
      }
    }
  }

  /** The next events, the Pod's own among them. */
  async #next(): Promise<readonly NewsItem[]> {
    const { tickets, all, notifications } = this.#parts;
    if (all && this.#cursor === null) {
      const { cursor } = await tickets("news", { cursor: null, all });
      const begun = cursorOf(cursor);
      if (begun === null) throw unknownAnswer();
      // What happens from now on is news, also to the next owner.
      await notifications.keepPosition(cursorJson(begun));
      this.#cursor = begun;
    }
    const cursor = this.#cursor !== null && all ? this.#cursor : this.#ofFollowed();
    this.#cursor = cursor;
    const { events } = await tickets("news", { cursor: cursorJson(cursor), all });
    const items = Array.isArray(events) ? events.map(newsOf) : [null];
    return items.map((item) => {
      if (item === null) throw unknownAnswer();
      return item;
    });
  }

  /** What is told of tickets that are followed no more is forgotten; a ticket that is followed anew is known as it was then. */
  #ofFollowed(): NewsCursor {
    const { known: before = {} } = this.#cursor ?? {};
    const known = this.#parts.followed.list().map(({ ticket, known: from }) => {
      const told = before[ticket];
      return [ticket, told !== undefined && isLaterEvent(told, from) ? told : from] as const;
    });
    return { known: Object.fromEntries(known), since: null };
  }

  async #tell(items: readonly NewsItem[], signal: AbortSignal, stopped: Promise<null>): Promise<void> {
    let refusals = 0;
    let bytesMax = newsTextBytesMax;
    let rest = items;
    while (!signal.aborted) {
      rest = this.#withoutOwn(rest);
      const [first] = rest;
      if (first === undefined) return;
      const { text, count } = newsText(rest, bytesMax);
      const told = rest.slice(0, count);
      const cursor = this.#behind(told);
      const last = told.at(-1) ?? first;
      const sending = this.#parts.notifications.notifyModel(text, {
        key: `${last.ticket}/${last.id}`,
        position: cursorJson(cursor),
      });
      try {
        if ((await Promise.race([sending.then(() => true), stopped])) === null) return;
      } catch (error) {
        if (!isOf(error, "inbox_full") && !isOf(error, "limit_exceeded")) throw error;
        if (isOf(error, "limit_exceeded")) refusals += 1;
        if (refusals >= refusalsOfAMinute) bytesMax = Math.max(textBytesMin, Math.floor(bytesMax / 2));
        await this.#parts.wait(refusedWaitMs, signal);
        continue;
      }
      this.#known(told, cursor);
      refusals = 0;
      rest = rest.slice(count);
    }
  }

  /** Those that come first and are the Pod's own are known from now on. */
  #withoutOwn(items: readonly NewsItem[]): readonly NewsItem[] {
    const { self, all, followed } = this.#parts;
    const isOwn = ({ event }: NewsItem) => event["author"] === self.author && event["role"] === self.role;
    const others = items.filter((item) => !isOwn(item) && (all || followed.of(item.ticket) !== null));
    // Where nothing is told, nothing needs to be on record: they are left out again.
    if (others.length === 0) this.#known(items, this.#behind(items));
    return others;
  }

  #behind(items: readonly NewsItem[]): NewsCursor {
    const { known = {}, since = null } = this.#cursor ?? {};
    const last = Object.fromEntries(items.map(({ ticket, id }) => [ticket, id]));
    return boundedCursor({ known: { ...known, ...last }, since });
  }

  #known(items: readonly NewsItem[], cursor: NewsCursor): void {
    this.#cursor = cursor;
    for (const { ticket, id, event } of items) {
      const state = ticketStates.find((one) => one === event["to"]) ?? null;
      this.#parts.followed.heard(ticket, { last: id, state });
    }
  }
}

function unknownAnswer(): YoiError {
  return new YoiError("service_failed", "The service of tickets gave no news that are any.");
}

function isOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof YoiError && error.code === code;
}

/** Resolves with null when the signal aborts. */
function stopOf(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
