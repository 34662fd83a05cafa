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

/** How far each thread is known: the id of its last event that is, by ticket. */
export type Cursor = Readonly<Record<string, string>>;

export interface TicketNews {
  readonly ticket: string;
  readonly title: string;
  readonly event: TicketEvent;
}

export interface News {
  /** Behind the cursor, in the order of threads; those of one ticket in theirs. */
  readonly events: readonly TicketNews[];
  /** With these events known too. */
  readonly cursor: Cursor;
  /** There is more than was given: ask again. */
  readonly more: boolean;
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
   * What is behind `cursor` in the threads that it names, or, with `all`, in every thread: one that it does not name is news as a whole then. At most `max` events.
   * Cheap where nothing was written. A ticket that is gone is left out, and so is what stands before a thread's migration,
   * and the migration of a closed ticket.
   */
  news(cursor: Cursor, options: { readonly all: boolean; readonly max: number }): Promise<News>;
  doctor(options: { readonly fix: boolean }): Promise<DoctorReport>;
  /** Copies an old layout (`open`, `pending`, `closed`) in; what was imported before is left alone. The old folders stay as they are. */
  importOld(directory: string, actor: Actor): Promise<ImportReport>;
}
