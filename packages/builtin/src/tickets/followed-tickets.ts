/** FollowedTickets: which tickets the Pod works on, and how it knows them. One object for as long as the feature lives; tools, task and state share it. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { isTicketId, markCharsMax, type TicketState, ticketStates } from "@yoi/tickets";
import { shownLine } from "../shown-line.ts";

/** Tickets that are followed. One more, and the oldest that is closed is followed no more; where none is closed, the oldest. */
export const followedMax = 256;
/** Events that are remembered as the Pod's own: the last ones. Each is news until the threads were looked at behind it, which is seconds. */
export const ownMax = 1_024;
/** UTF-16 units of a title that is remembered. */
const titleCharsMax = 120;

/** Sorts before the id of every event. */
export const beforeAllEvents = "0000000000000";

const unnamedEvent = /^@[1-9][0-9]{0,8}$/;

export function isEventId(text: string): boolean {
  return isTicketId(text) || unnamedEvent.test(text);
}

export interface FollowedTicket {
  readonly ticket: string;
  readonly title: string;
  readonly state: TicketState;
  /** The mark of what was there when it began to be followed: that is no news. */
  readonly known: string;
  /** The last event that was heard of. */
  readonly last: string;
}

export class FollowedTickets {
  /** In the order in which they began to be followed. */
  readonly #tickets = new Map<string, FollowedTicket>();
  /** What the Pod itself wrote, as its own records have it: `<ticket>/<event>`, oldest first. */
  readonly #own = new Set<string>();
  readonly #writing = new Set<Promise<unknown>>();

  list(): readonly FollowedTicket[] {
    return [...this.#tickets.values()];
  }

  of(ticket: string): FollowedTicket | null {
    return this.#tickets.get(ticket) ?? null;
  }

  /** One that is followed already stays known as it was. */
  follow(found: FollowedTicket): void {
    const { ticket } = found;
    const before = this.#tickets.get(ticket);
    this.#tickets.set(ticket, {
      ...found,
      title: shownLine(found.title, titleCharsMax),
      known: before?.known ?? found.known,
    });
    if (this.#tickets.size <= followedMax) return;
    const others = this.list().filter((one) => one.ticket !== ticket);
    const gone = others.find(({ state }) => state === "closed") ?? others[0];
    if (gone !== undefined) this.#tickets.delete(gone.ticket);
  }

  unfollow(ticket: string): void {
    this.#tickets.delete(ticket);
  }

  /** What happened in one, whoever did it; nothing where it is not followed. */
  heard(
    ticket: string,
    { last, state }: { readonly last: string | null; readonly state: TicketState | null },
  ): void {
    const before = this.#tickets.get(ticket);
    if (before === undefined) return;
    const event = last !== null && isEventId(last) ? last : before.last;
    this.#tickets.set(ticket, { ...before, last: event, state: state ?? before.state });
  }

  own(): readonly string[] {
    return [...this.#own];
  }

  isOwn(ticket: string, event: string): boolean {
    return this.#own.has(`${ticket}/${event}`);
  }

  /** The Pod writes events: until it has its answer, nobody knows which of those that stand there by then are its own. Fails as `write` does. */
  async writing<T>(write: Promise<T>, wrote: (answer: T) => { ticket: string; event: string }): Promise<T> {
    const writing = write.then((answer) => {
      const { ticket, event } = wrote(answer);
      this.#addOwn(`${ticket}/${event}`);
      return answer;
    });
    this.#writing.add(writing);
    try {
      return await writing;
    } finally {
      this.#writing.delete(writing);
    }
  }

  /** Resolves when what is being written now has come to its end. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  #addOwn(event: string): void {
    this.#own.add(event);
    const [oldest] = this.#own;
    if (this.#own.size > ownMax && oldest !== undefined) this.#own.delete(oldest);
  }

  /** Forgets all, and knows what is given and then what the changes say. */
  replace(
    { tickets, own }: { readonly tickets: readonly FollowedTicket[]; readonly own: readonly string[] },
    changes: readonly FollowChange[],
  ): void {
    this.#tickets.clear();
    this.#own.clear();
    for (const one of tickets) this.follow(one);
    for (const event of own) this.#addOwn(event);
    for (const change of changes) this.take(change);
  }

  take(change: FollowChange): void {
    if (change.wrote !== null) this.#addOwn(`${change.ticket}/${change.wrote}`);
    if (change.follow === null) this.unfollow(change.ticket);
    else this.follow(change.follow);
  }
}

/** What a call of a tool changed. */
interface FollowChange {
  readonly ticket: string;
  /** Null: it is followed no more. */
  readonly follow: FollowedTicket | null;
  /** The event that the call wrote. */
  readonly wrote: string | null;
}

export function changeJson({ ticket, follow, wrote }: FollowChange): JsonObject {
  if (follow === null) return { ticket, follow: false };
  return { ...followedJson(follow), follow: true, ...(wrote === null ? {} : { wrote }) };
}

/** Null: it is none. */
export function changeOf(value: JsonObject | undefined): FollowChange | null {
  const ticket = value?.["ticket"];
  if (typeof ticket !== "string") return null;
  if (value?.["follow"] === false) return { ticket, follow: null, wrote: null };
  const follow = followedOf(value);
  const wrote = value?.["wrote"];
  return follow === null ? null : { ticket, follow, wrote: typeof wrote === "string" ? wrote : null };
}

export function followedJson({ ticket, title, state, known, last }: FollowedTicket): JsonObject {
  return { ticket, title, state, known, last };
}

/** Null: it is none. */
export function followedOf(value: JsonValue | undefined): FollowedTicket | null {
  if (!isJsonObject(value)) return null;
  const { ticket, title, state: given, known, last } = value;
  const state = ticketStates.find((one) => one === given);
  if (typeof ticket !== "string" || !isTicketId(ticket) || typeof title !== "string") return null;
  if (typeof known !== "string" || known.length > markCharsMax) return null;
  if (typeof last !== "string" || !isEventId(last)) return null;
  return state === undefined ? null : { ticket, title, state, known, last };
}
