/** TicketStore: what can be done with the tickets of one root. Every change is one event in a thread, durable when the verb resolves. */
import type {
  Actor,
  RelationKind,
  ReviewStatus,
  Ticket,
  TicketEvent,
  TicketState,
  TicketSummary,
} from "./ticket.ts";
import type { DoctorReport } from "./doctor/report.ts";
import type { ImportReport } from "./import/report.ts";

export interface NewTicket {
  readonly title: string;
  /** Markdown of item.md. */
  readonly body: string;
  /** Further front matter: labels, priority, assignee ... */
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
}

/** What is said in a thread and changes nothing else. */
export type Entry =
  | { readonly kind: "comment" | "plan" | "decision" | "implementation_report"; readonly body: string }
  | { readonly kind: "review"; readonly status: ReviewStatus; readonly body: string };

export interface Transition {
  /** Not closed: that is `close`. */
  readonly to: Exclude<TicketState, "closed">;
  /** Needed to go back. */
  readonly reason?: string;
  readonly body?: string;
}

export interface ListFilter {
  /** Absent: all but closed. */
  readonly states?: readonly TicketState[];
}

export interface TicketList {
  /** Oldest first. */
  readonly tickets: readonly TicketSummary[];
  /** Folders that cannot be read as tickets, a sentence each. */
  readonly problems: readonly string[];
}

/** How far threads are known. */
export interface Cursor {
  /** By ticket, the `mark` of the last of its news. A value that is none: the thread counts as put together anew. */
  readonly known: Readonly<Record<string, string>>;
  /** Of tickets that are not named, events up to this time (Unix ms) are known; null: none is. */
  readonly sinceMs: number | null;
}

/** What somebody who begins to follow every ticket takes as known. */
export interface Beginning {
  readonly known: Cursor["known"];
  /** Tickets in `queued`: what brought them there is not known. */
  readonly waiting: readonly string[];
}

export interface TicketNews {
  readonly ticket: string;
  readonly title: string;
  /** Of the ticket now. */
  readonly state: TicketState;
  /** How far the thread is known to who knows this too: at most 37 characters. */
  readonly mark: string;
  /** Null: what was known does not stand there any more, as where git put the thread together anew; all that stands there now is known with this. */
  readonly event: TicketEvent | null;
}

export interface News {
  /** Behind the cursor, by ticket, those of one in the order of its thread. */
  readonly news: readonly TicketNews[];
  /** There is more than was given: ask again, with the marks of these. */
  readonly more: boolean;
  /** Tickets that cannot be read now, a sentence each: what they say is news once they can. */
  readonly unreadable: readonly string[];
}

/**
 * All verbs throw YoiErrors: ticket_unknown, ticket_damaged (naming file and line), ticket_refused (a state, a role, a gate, an unresolved relation), usage,
 * limit_exceeded, permission_denied (a link or a special file where a ticket's file is to be), and what the disk throws. A verb that throws has changed nothing; only
 * after io_failed and disk_full may the change stand all the same, whole: show the ticket before asking again.
 * Every writer holds the root's lock; readers need none, and see each change whole or not at all.
 */
export interface TicketStore {
  /** In state planning. */
  create(ticket: NewTicket, actor: Actor): Promise<Ticket>;
  add(id: string, entry: Entry, actor: Actor): Promise<TicketEvent>;
  transition(id: string, transition: Transition, actor: Actor): Promise<TicketEvent>;
  /** With its resolution, Markdown. */
  close(id: string, resolution: string, actor: Actor): Promise<TicketEvent>;
  /** Closed to planning; its resolution stays in the thread. */
  reopen(id: string, reason: string, actor: Actor): Promise<TicketEvent>;
  link(
    id: string,
    change: { readonly relation: RelationKind; readonly target: string; readonly remove?: boolean },
    actor: Actor,
  ): Promise<TicketEvent>;
  list(filter?: ListFilter): Promise<TicketList>;
  show(id: string): Promise<Ticket>;
  /**
   * What is behind `cursor` in the threads that it names, or, with `all`, in every thread. At most `max` news. Cheap where nothing was written. Of a ticket that is not known at
   * all, what it brought along from elsewhere (what stands before its migration, and the migration of a closed one) is none. A ticket that is gone is left out.
   */
  news(cursor: Cursor, options: { readonly all: boolean; readonly max: number }): Promise<News>;
  /** All that there is, but for what waits for somebody in `queued`. */
  newsFromNow(): Promise<Beginning>;
  doctor(options: { readonly fix: boolean }): Promise<DoctorReport>;
  /** Copies an old layout (`open`, `pending`, `closed`) in; what was imported before is left alone. The old folders stay as they are. */
  importOld(directory: string, actor: Actor): Promise<ImportReport>;
}
