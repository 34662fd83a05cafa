/** Project work as files. */
export { createTicketStore } from "./create-ticket-store.ts";
export type { DoctorReport, TicketProblem } from "./doctor/report.ts";
export { contestedStates } from "./fold.ts";
export type { KindAt, TicketDesk } from "./place.ts";
export type { ImportedTicket, ImportReport } from "./import/report.ts";
export { latestMsOfMark, markCharsMax, markOf, shortDigest } from "./mark.ts";
export type {
  Beginning,
  Cursor,
  Entry,
  ListFilter,
  News,
  NewTicket,
  TicketList,
  TicketNews,
  TicketStore,
  Transition,
} from "./store.ts";
export type {
  Actor,
  EventKind,
  PodRole,
  Relation,
  RelationKind,
  ReviewStatus,
  Ticket,
  TicketEvent,
  TicketRole,
  TicketState,
  TicketSummary,
} from "./ticket.ts";
export {
  authorCharsMax,
  bodyBytesMax,
  eventKinds,
  itemBytesMax,
  reasonBytesMax,
  relationKinds,
  relationsMax,
  reviewStatuses,
  threadBytesMax,
  ticketRoles,
  ticketsMax,
  ticketStates,
  titleCharsMax,
} from "./ticket.ts";
export { isTicketId } from "./ticket-id.ts";
export { entryRoles, mayTransition, transitionRule, transitionRules } from "./transitions.ts";
