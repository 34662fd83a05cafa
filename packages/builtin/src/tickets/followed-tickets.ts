/** FollowedTickets: which tickets the Pod works on, and how it knows them. One object for as long as the feature lives; tools, task and state share it. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { isTicketId, type TicketState, ticketStates } from "@yoi/tickets";
import { isEventId } from "./news-cursor.ts";
import { shownLine } from "../shown-line.ts";

/** Tickets that are followed. One more, and the oldest that is closed is followed no more; where none is closed, the oldest. */
export const followedMax = 256;
/** UTF-16 units of a title that is remembered. */
const titleCharsMax = 120;

export interface FollowedTicket {
  readonly ticket: string;
  readonly title: string;
  readonly state: TicketState;
  /** Events up to this id were there when it began to be followed: they are no news. */
  readonly known: string;
  /** The last event that was heard of. */
  readonly last: string;
}

export class FollowedTickets {
  /** In the order in which they began to be followed. */
  readonly #tickets = new Map<string, FollowedTicket>();

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
    { last, state }: { readonly last: string; readonly state: TicketState | null },
  ): void {
    const before = this.#tickets.get(ticket);
    if (before !== undefined) this.#tickets.set(ticket, { ...before, last, state: state ?? before.state });
  }

  /** Forgets all, and knows `tickets` and then what the changes say. */
  replace(tickets: readonly FollowedTicket[], changes: readonly FollowChange[]): void {
    this.#tickets.clear();
    for (const one of tickets) this.follow(one);
    for (const change of changes) this.take(change);
  }

  take(change: FollowChange): void {
    if (change.follow === null) this.unfollow(change.ticket);
    else this.follow(change.follow);
  }
}

/** What a call of a tool changed; `follow` null: it is followed no more. */
interface FollowChange {
  readonly ticket: string;
  readonly follow: FollowedTicket | null;
}

export function changeJson({ ticket, follow }: FollowChange): JsonObject {
  return follow === null ? { ticket, follow: false } : { ...followedJson(follow), follow: true };
}

/** Null: it is none. */
export function changeOf(value: JsonObject | undefined): FollowChange | null {
  const ticket = value?.["ticket"];
  if (typeof ticket !== "string") return null;
  if (value?.["follow"] === false) return { ticket, follow: null };
  const follow = followedOf(value);
  return follow === null ? null : { ticket, follow };
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
  if (typeof known !== "string" || !isEventId(known) || typeof last !== "string" || !isEventId(last))
    return null;
  return state === undefined ? null : { ticket, title, state, known, last };
}
