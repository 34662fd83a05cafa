/** Ticket: a piece of project work as data: what it is now, and all that was said and done about it. Shapes as they are shown by `--json`. */
import type { JsonObject } from "@yoi/base";

export const ticketStates = ["planning", "ready", "queued", "inprogress", "done", "closed"] as const;
export type TicketState = (typeof ticketStates)[number];

/** `user` is a person; the others are what a Pod can be. */
export const ticketRoles = ["user", "intake", "orchestrator", "coder", "reviewer"] as const;
export type TicketRole = (typeof ticketRoles)[number];
export type PodRole = Exclude<TicketRole, "user">;

/** Who does something, as it goes on record. */
export interface Actor {
  /** A person's name, or that of a Pod. One line of at most `authorCharsMax` characters. */
  readonly author: string;
  readonly role: TicketRole;
  /** A person delegated closing to it. Of a `user` without meaning. */
  readonly mayClose?: boolean;
}

/**
 * blocks: the target is not queued before this one is done or closed. part_of: the target is not done before this one is done or closed. follows: this one
 * came out of the target; for people, nothing waits for it.
 */
export const relationKinds = ["blocks", "part_of", "follows"] as const;
export type RelationKind = (typeof relationKinds)[number];

export interface Relation {
  readonly relation: RelationKind;
  /** The id of another ticket. */
  readonly target: string;
}

export const reviewStatuses = ["approve", "request_changes"] as const;
export type ReviewStatus = (typeof reviewStatuses)[number];

/** The kinds that yoi writes. A thread may hold others, of another tool or an older one: they are kept and shown. */
export const eventKinds = [
  "create",
  "comment",
  "plan",
  "decision",
  "implementation_report",
  "review",
  "state_changed",
  "close",
  "reopen",
  "link",
  "unlink",
  "migration",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** One event of a thread. What is absent was not said there. */
export interface TicketEvent {
  /** Unique in its ticket: 13 characters as a ticket's; of an event that was written without one `@` and its number in the thread, from 1. */
  readonly id: string;
  /** One of `eventKinds`, or another word. */
  readonly kind: string;
  readonly author: string;
  /** Null: not said, as by older tools. */
  readonly role: TicketRole | null;
  /** ISO 8601, UTC, as written: `2026-06-03T12:23:17.001Z`. Empty: not said. */
  readonly at: string;
  /** Of a review. */
  readonly status?: string;
  /** Of a change of state, a close and a reopening. `to` of a create: the state that the ticket began in. */
  readonly from?: string;
  readonly to?: string;
  /** One line. */
  readonly reason?: string;
  /** Of link and unlink. */
  readonly relation?: string;
  readonly target?: string;
  /** Attributes that this version does not know; absent: none. */
  readonly other?: Readonly<Record<string, string>>;
  /** Markdown, as it was given, without blank lines around it. */
  readonly body: string;
}

/** What a list shows. */
export interface TicketSummary {
  readonly id: string;
  readonly title: string;
  readonly state: TicketState;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** Of the last event or change of the item, whichever is later. */
  readonly updated_at: string;
  /** Ids of tickets that block this one and are neither done nor closed. */
  readonly blocked_by: readonly string[];
  /** Of the last review behind the last report; null: none since. */
  readonly review: ReviewStatus | null;
  /** Further keys of the front matter, as they stand there: assignee, priority, labels ... */
  readonly fields: JsonObject;
}

export interface Ticket extends TicketSummary {
  /** Of item.md, Markdown. */
  readonly body: string;
  /** From this one to others. */
  readonly relations: readonly Relation[];
  /** From others to this one: `target` is the other's id. */
  readonly related_from: readonly Relation[];
  /** Of a closed one. */
  readonly resolution: string | null;
  /** Paths below `artifacts/`, sorted. */
  readonly artifacts: readonly string[];
  /** In the order of the thread. */
  readonly events: readonly TicketEvent[];
}

/** Characters of a title: one line. */
export const titleCharsMax = 4_000;
/** UTF-8 bytes of an item's or an event's body. */
export const bodyBytesMax = 256 * 1024;
/** UTF-8 bytes of a reason: one line. */
export const reasonBytesMax = 1_024;
export const authorCharsMax = 128;
/** UTF-8 bytes of a thread. */
export const threadBytesMax = 16 * 1024 * 1024;
/** UTF-8 bytes of an item.md. */
export const itemBytesMax = 1024 * 1024;
/** Tickets of one root. */
export const ticketsMax = 10_000;
/** Relations of one ticket. */
export const relationsMax = 256;
