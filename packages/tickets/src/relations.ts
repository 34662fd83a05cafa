/** How tickets hang together: who blocks whom, what is a part of what, and what would wait for itself. */
import type { RelatedTicket } from "./catalog.ts";
import type { Relation, TicketState } from "./ticket.ts";

/** Nothing waits for it any more. Of a state that nobody knows that is not said. */
export function isResolved(state: TicketState | null): boolean {
  return state === "done" || state === "closed";
}

/** What points at each ticket: `target` is the one that points. */
export function relatedFrom(tickets: readonly RelatedTicket[]): ReadonlyMap<string, readonly Relation[]> {
  const found = new Map<string, Relation[]>();
  for (const { id, relations } of tickets)
    for (const { relation, target } of relations) {
      const here = found.get(target);
      if (here === undefined) found.set(target, [{ relation, target: id }]);
      else here.push({ relation, target: id });
    }
  return found;
}

/** Ids of those that point at a ticket by this relation and are not resolved, by the ticket that they point at. */
export function openBy(
  relation: Relation["relation"],
  tickets: readonly RelatedTicket[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { id, relations } of tickets.filter(({ state }) => !isResolved(state)))
    for (const one of relations) {
      if (one.relation !== relation || one.target === id) continue;
      const here = found.get(one.target);
      if (here === undefined) found.set(one.target, [id]);
      else here.push(id);
    }
  return found;
}

/**
 * The tickets on the way from `target` back to `id`, both included, that would make one wait for itself if `id` came to block the target or to be a part of it;
 * null: there is no such way. Both relations make their target wait, so a way over both is one.
 */
export function waitingWay(
  { id, target }: { readonly id: string; readonly target: string },
  tickets: readonly Pick<RelatedTicket, "id" | "relations">[],
): readonly string[] | null {
  const waits = new Map(tickets.map((ticket) => [ticket.id, waitingOn(ticket)]));
  const cameFrom = new Map<string, string | null>([[target, null]]);
  const next = [target];
  for (const at of next) {
    if (at === id) return wayTo(id, cameFrom);
    for (const one of waits.get(at) ?? []) {
      if (cameFrom.has(one)) continue;
      cameFrom.set(one, at);
      next.push(one);
    }
  }
  return null;
}

/** Which others wait for this one. */
export function waitingOn({ relations }: Pick<RelatedTicket, "relations">): readonly string[] {
  return relations.filter(({ relation }) => relation !== "follows").map(({ target }) => target);
}

function wayTo(id: string, cameFrom: ReadonlyMap<string, string | null>): readonly string[] {
  const way: string[] = [];
  for (let at: string | null = id; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
  return way;
}
