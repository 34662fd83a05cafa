/** foldThread: what a ticket is now, from what happened to it. */
import {
  type Relation,
  relationKinds,
  type ReviewStatus,
  reviewStatuses,
  type TicketEvent,
  type TicketState,
  ticketStates,
} from "./ticket.ts";

export interface Folded {
  /** Null: the thread says nothing of it, as where a ticket was made by hand. */
  readonly state: TicketState | null;
  /** In the order in which they were made. */
  readonly relations: readonly Relation[];
  /** Of a closed ticket: the body of what closed it. */
  readonly resolution: string | null;
  /** Of the last review behind the last report. */
  readonly review: ReviewStatus | null;
  /** The latest `at` that is a time, as written. */
  readonly lastAt: string | null;
}

/** @param events in the order of the thread. */
export function foldThread(events: readonly TicketEvent[]): Folded {
  let state: TicketState | null = null;
  let resolution: string | null = null;
  let review: ReviewStatus | null = null;
  let lastAt: string | null = null;
  let lastMs = Number.NEGATIVE_INFINITY;
  const relations = new Map<string, Relation>();
  for (const event of events) {
    const to = stateAfter(event);
    if (to !== null) {
      state = to;
      resolution = resolutionAfter(event, to, resolution);
    }
    if (event.kind === "implementation_report") review = null;
    if (event.kind === "review") {
      review = reviewStatuses.find((status) => status === event.status) ?? review;
    }
    applyRelation(relations, event);
    const ms = Date.parse(event.at);
    if (ms > lastMs) [lastMs, lastAt] = [ms, event.at];
  }
  return { state, relations: [...relations.values()], resolution, review, lastAt };
}

/** A ticket that came in closed keeps the resolution that it came with, or the migration says it. */
function resolutionAfter({ kind, body }: TicketEvent, to: TicketState, before: string | null): string | null {
  if (kind === "migration" && to === "closed") return body === "" ? before : body;
  return kind === "close" ? body : null;
}

/** The state that the event brought its ticket to; null: it is not about that. */
function stateAfter(event: TicketEvent): TicketState | null {
  const to = ticketStates.find((state) => state === event.to) ?? null;
  switch (event.kind) {
    case "close":
      // Older tools say it by the kind alone.
      return "closed";
    case "reopen":
      return to ?? "planning";
    case "state_changed":
      // Older tools wrote changes of other fields in the same kind.
      return /^(?:workflow_)?state$/.test(event.other?.["field"] ?? "state") ? to : null;
    case "create":
    case "migration":
      return to;
    default:
      return null;
  }
}

function applyRelation(relations: Map<string, Relation>, event: TicketEvent): void {
  const relation = relationKinds.find((kind) => kind === event.relation);
  if (relation === undefined || event.target === undefined) return;
  const key = `${relation} ${event.target}`;
  if (event.kind === "link" && !relations.has(key)) relations.set(key, { relation, target: event.target });
  if (event.kind === "unlink") relations.delete(key);
}
