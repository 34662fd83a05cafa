/** foldThread: what a ticket is now, from what happened to it. */
import { type Standing, standingAfter } from "./standing.ts";
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
  /** `state` is the first; more than one: two branches were merged that each changed it, and nobody has said which holds. */
  readonly standing: Standing;
  /** In the order in which they were made. */
  readonly relations: readonly Relation[];
  /** Of a closed ticket: the body of what closed it. */
  readonly resolution: string | null;
  /** Who reported what is to be reviewed, or was last; empty: nothing is reported in this round. */
  readonly reporters: readonly string[];
  /** Of the last review behind the last report. */
  readonly review: ReviewStatus | null;
  /** The latest `at` that is a time, as written. */
  readonly lastAt: string | null;
}

/** Of an empty thread. */
export const nothingFolded: Folded = {
  state: null,
  standing: [],
  relations: [],
  resolution: null,
  reporters: [],
  review: null,
  lastAt: null,
};

/** @param events in the order of the thread. */
export function foldThread(events: readonly TicketEvent[]): Folded {
  return events.reduce(foldEvent, nothingFolded);
}

/** In which states a ticket stands at once since two branches were merged that each changed it, the one that it is shown in first; empty: it stands in one. */
export function contestedStates({ events }: { readonly events: readonly TicketEvent[] }): Standing {
  const { standing } = foldThread(events);
  return standing.length > 1 ? standing : [];
}

/** What the ticket is behind the event, from what it was before it. */
export function foldEvent(before: Folded, event: TicketEvent): Folded {
  const to = stateAfter(event);
  const standing = to === null ? before.standing : standingAfter(before.standing, event, to);
  const [state = null] = standing;
  const resolution = to === null ? before.resolution : resolutionAfter(event, to, before.resolution);
  return {
    state,
    standing,
    resolution: state === "closed" ? resolution : null,
    relations: relationsAfter(event, before.relations),
    ...roundAfter(event, to, before),
    lastAt: Date.parse(event.at) > msOf(before.lastAt) ? event.at : before.lastAt,
  };
}

function msOf(at: string | null): number {
  return at === null ? Number.NEGATIVE_INFINITY : Date.parse(at);
}

type Round = Pick<Folded, "reporters" | "review">;

/** Work that is begun, or thought of anew, has to be reported and reviewed anew; what came in from elsewhere was so by other rules. */
function roundAfter(event: TicketEvent, to: TicketState | null, { reporters, review }: Round): Round {
  if (event.kind === "migration" || to === "planning" || to === "inprogress")
    return { reporters: [], review: null };
  if (event.kind === "implementation_report")
    return { reporters: [...(review === null ? reporters : []), event.author], review: null };
  const status = reviewStatuses.find((one) => one === event.status);
  const isReview = event.kind === "review" && status !== undefined && reporters.length > 0;
  return { reporters, review: isReview ? status : review };
}

/** A ticket that came in closed keeps the resolution that it came with, or the migration says it. */
function resolutionAfter({ kind, body }: TicketEvent, to: TicketState, before: string | null): string | null {
  if (kind === "migration" && to === "closed") return body === "" ? before : body;
  return kind === "close" ? body : null;
}

/** Older tools wrote changes of other fields in the same kind, which say nothing of the state. */
export function isOfState({ kind, other }: TicketEvent): boolean {
  return kind !== "state_changed" || /^(?:workflow_)?state$/.test(other?.["field"] ?? "state");
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
      return isOfState(event) ? to : null;
    case "create":
    case "migration":
      return to;
    default:
      return null;
  }
}

function relationsAfter(event: TicketEvent, before: readonly Relation[]): readonly Relation[] {
  const { kind, target } = event;
  const relation = relationKinds.find((one) => one === event.relation);
  if (relation === undefined || target === undefined) return before;
  const isIt = (one: Relation): boolean => one.relation === relation && one.target === target;
  if (kind === "unlink") return before.filter((one) => !isIt(one));
  return kind === "link" && !before.some(isIt) ? [...before, { relation, target }] : before;
}
