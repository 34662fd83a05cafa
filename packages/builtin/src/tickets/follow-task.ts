/** FollowTask: tells the Pod what others do with the tickets that it follows, each event once, also what was done while the Pod was down. */
import {
  type ErrorCode,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  messageOf,
  orStopped,
  stopped,
  YoiError,
} from "@yoi/base";
import type { DiagnosticSink, NotificationSink } from "@yoi/feature";
import { shortDigest, ticketStates } from "@yoi/tickets";
import type { FollowedTickets } from "./followed-tickets.ts";
import { cursorBehind, cursorJson, cursorOf, marksOf, type NewsCursor } from "./news-cursor.ts";
import { type NewsItem, newsOf, newsText, newsTextBytesMax } from "./news-text.ts";
import type { TicketClient } from "./ticket-client.ts";

/** Between two looks for news; where a minute brought none it doubles, since a look costs more the more tickets there are. */
const lookWaitMs = 1_000;
export const lookWaitMsMax = 8_000;
export const quietLooksMax = 60;
/** Before news are asked for again where the service failed; twice as long after each failure. */
const failureWaitMs = 1_000;
export const failureWaitMsMax = 60_000;
/** Before what was refused for want of room is told again. */
const refusedWaitMs = 5_000;
/** Where a text is too long, half of it is tried, down to this; then only that there is something. */
const textBytesMin = 1_024;

/** Resolves after so many milliseconds, or when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

export interface FollowParts {
  readonly tickets: TicketClient;
  readonly followed: FollowedTickets;
  readonly notifications: NotificationSink;
  readonly diagnostics: DiagnosticSink;
  readonly wait: Wait;
  /** It follows every ticket. */
  readonly all: boolean;
}

export class FollowTask {
  readonly #parts: FollowParts;
  /** How far the threads are known; null: no one has looked yet. */
  #cursor: NewsCursor | null = null;
  /** Of a Pod that does not follow all: by ticket, what was known when it began to be followed. */
  #from: NewsCursor["known"] = {};
  #failures = 0;
  /** Those that brought no news, since one did. */
  #quietLooks = 0;
  /** Tickets that cannot be read, and were said. */
  #unreadable: readonly string[] = [];

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  /** Until the signal aborts. Rejects for nothing that the service or the inbox does. */
  async run(signal: AbortSignal): Promise<void> {
    const { notifications, diagnostics } = this.#parts;
    const position = notifications.position();
    this.#cursor = cursorOf(position ?? undefined);
    const { from } = isJsonObject(position) ? position : {};
    this.#from = marksOf(from) ?? {};
    if (position !== null && this.#cursor === null)
      diagnostics.warning(
        "How far tickets were told is on record in a form that this yoi does not know: it begins anew.",
      );
    while (!signal.aborted) {
      try {
        const items = await orStopped(signal, () => this.#next());
        if (items === stopped) return;
        this.#failures = 0;
        this.#quietLooks = items.length === 0 ? this.#quietLooks + 1 : 0;
        if (items.length === 0) await this.#parts.wait(this.#lookWaitMs(), signal);
        else await this.#tell(items, signal);
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

  /** The next news, the Pod's own events among them. */
  async #next(): Promise<readonly NewsItem[]> {
    const { tickets, followed, all } = this.#parts;
    this.#cursor = all ? (this.#cursor ?? (await this.#begun())) : this.#ofFollowed();
    const answer = await tickets("news", { cursor: cursorJson(this.#cursor), all });
    // What the Pod is writing now can be among them.
    await followed.settled();
    this.#sayUnreadable(answer["unreadable"]);
    const { news } = answer;
    return (Array.isArray(news) ? news : [null]).map(
      (value) => newsOf(value) ?? unknownAnswer("news", value),
    );
  }

  async #begun(): Promise<NewsCursor> {
    const { tickets, notifications } = this.#parts;
    const { cursor } = await tickets("news", { cursor: null, all: true });
    const begun = cursorOf(cursor) ?? unknownAnswer("cursor", cursor);
    // What happens from now on is news, also to the next owner.
    await notifications.keepPosition(this.#position(begun));
    return begun;
  }

  /** What is told of tickets that are followed no more is forgotten; a ticket that is followed anew is known as it was then. */
  #ofFollowed(): NewsCursor {
    const { known: told = {} } = this.#cursor ?? {};
    const followed = this.#parts.followed.list();
    const known = followed.map(({ ticket, known: from }) => {
      const isAsBefore = this.#from[ticket] === from;
      return [ticket, isAsBefore ? (told[ticket] ?? from) : from];
    });
    this.#from = Object.fromEntries(followed.map(({ ticket, known: from }) => [ticket, from]));
    return { known: Object.fromEntries(known), sinceMs: null };
  }

  #lookWaitMs(): number {
    const doublings = Math.min(Math.max(0, this.#quietLooks - quietLooksMax), 16);
    return Math.min(lookWaitMs * 2 ** doublings, lookWaitMsMax);
  }

  async #tell(items: readonly NewsItem[], signal: AbortSignal): Promise<void> {
    let bytesMax = newsTextBytesMax;
    let rest = items;
    while (!signal.aborted) {
      rest = this.#withoutOwn(rest);
      if (rest.length === 0) return;
      const { text, count } = newsText(rest, bytesMax);
      const told = rest.slice(0, count);
      const cursor = this.#behind(told);
      const upTo = { key: keyOf(told), position: this.#position(cursor) };
      try {
        const sent = await orStopped(signal, () => this.#parts.notifications.notifyModel(text, upTo));
        if (sent === stopped) return;
      } catch (error) {
        if (isOf(error, "limit_exceeded") && bytesMax > 0) {
          // What stands for a secret can be longer than the secret.
          bytesMax = bytesMax > textBytesMin ? Math.floor(bytesMax / 2) : 0;
          continue;
        }
        if (!isOf(error, "inbox_full") && !isOf(error, "too_often")) throw error;
        await this.#parts.wait(refusedWaitMs, signal);
        continue;
      }
      this.#known(told, cursor);
      bytesMax = newsTextBytesMax;
      rest = rest.slice(count);
    }
  }

  /** Those that come first and are the Pod's own are known from now on. */
  #withoutOwn(items: readonly NewsItem[]): readonly NewsItem[] {
    const { all, followed } = this.#parts;
    const isOwn = ({ ticket, event }: NewsItem) => event !== null && followed.isOwn(ticket, event.id);
    const others = items.filter((item) => !isOwn(item) && (all || followed.of(item.ticket) !== null));
    // Where nothing is told, nothing needs to be on record: they are left out again.
    if (others.length === 0) this.#known(items, this.#behind(items));
    return others;
  }

  #behind(items: readonly NewsItem[]): NewsCursor {
    return cursorBehind(this.#cursor ?? { known: {}, sinceMs: null }, items);
  }

  #position(cursor: NewsCursor): JsonObject {
    return this.#parts.all ? cursorJson(cursor) : { ...cursorJson(cursor), from: { ...this.#from } };
  }

  #known(items: readonly NewsItem[], cursor: NewsCursor): void {
    this.#cursor = cursor;
    const { followed } = this.#parts;
    for (const { ticket, state, event } of items) {
      const known = ticketStates.find((one) => one === state) ?? null;
      followed.heard(ticket, { last: event?.id ?? null, state: known });
    }
  }

  /** Once, for as long as each cannot be read. */
  #sayUnreadable(value: JsonValue | undefined): void {
    const unreadable = (Array.isArray(value) ? value : []).filter((one) => typeof one === "string");
    for (const sentence of unreadable)
      if (!this.#unreadable.includes(sentence))
        this.#parts.diagnostics.warning(`What happens in it cannot be told until then. ${sentence}`);
    this.#unreadable = unreadable;
  }
}

/** The same news in the same portion are told once. */
function keyOf(items: readonly NewsItem[]): string {
  const news = items.map(({ ticket, mark, event }) => [ticket, mark, event?.id ?? null]);
  return `${items.at(-1)?.ticket ?? ""}/${shortDigest(JSON.stringify(news))}`;
}

function unknownAnswer(what: string, value: JsonValue | undefined): never {
  const said = (JSON.stringify(value) ?? "nothing").slice(0, 120);
  throw new YoiError(
    "service_failed",
    `The service of tickets gave as ${what} what is none: ${said}. Look at the tickets with yoi ticket doctor.`,
  );
}

function isOf(error: unknown, code: ErrorCode): boolean {
  return error instanceof YoiError && error.code === code;
}
