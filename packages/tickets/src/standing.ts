/**
 * Where the changes of a thread leave a ticket. Two branches that each changed its state, merged, leave it in two: an event then says that it goes from where the ticket
 * was and is not any more. Which holds a person says.
 */
import { type TicketEvent, type TicketState, ticketStates } from "./ticket.ts";

/** Attribute of an event by which a person settles in which state a ticket is: those in which it stood. */
export const settlesAttribute = "settles";

/** States in the order of `ticketStates`, so that the first is that nearest to planning: nothing counts as agreed that one side took back. */
export type Standing = readonly TicketState[];

/** @param to where the event brought the ticket. */
export function standingAfter(before: Standing, event: TicketEvent, to: TicketState): Standing {
  const from = ticketStates.find((state) => state === event.from);
  const isBeginning = event.kind === "create" || event.kind === "migration";
  // Older tools, which wrote no ids, say where a ticket came from as it pleases them.
  if (isBeginning || from === undefined || event.id.startsWith("@")) return [to];
  const settled = settledBy(event);
  const left = before.filter((state) => state !== from && !settled.includes(state));
  return ticketStates.filter((state) => state === to || left.includes(state));
}

/** Empty: the event settles nothing. */
export function settledBy({ other }: TicketEvent): readonly string[] {
  return other?.[settlesAttribute]?.split(" ") ?? [];
}
