/** What may be done with a ticket as it stands, and by whom: one sentence where not, with what may. */
import { YoiError } from "@yoi/base";
import type { Entry, Transition } from "./store.ts";
import type { StoredTicket } from "./stored-ticket.ts";
import type { Actor, TicketRole, TicketState } from "./ticket.ts";
import { entryRoles, transitionRule, transitionRules } from "./transitions.ts";

export function refused(message: string): YoiError {
  return new YoiError("ticket_refused", message);
}

/** Throws ticket_refused: the role may not write it, or a reviewer is asked about work of its own, or about none. */
export function checkEntry({ id, fold }: StoredTicket, { kind }: Entry, actor: Actor): void {
  checkEntryRole(id, kind, actor);
  if (kind !== "review" || actor.role === "user") return;
  if (fold.reporters.length === 0)
    throw refused(
      `Nothing is reported in ticket ${id} since its work was last begun, so there is nothing to review: an implementation_report comes first.`,
    );
  if (fold.reporters.includes(actor.author))
    throw refused(
      `The report in ticket ${id} is ${actor.author}'s own, and nobody reviews what they did themselves: have another Pod or a person review it.`,
    );
}

export function checkEntryRole(id: string, kind: keyof typeof entryRoles, { role }: Actor): void {
  if (role === "user" || entryRoles[kind].includes(role)) return;
  throw refused(
    `${aRole(role)} does not write a ${kind.replaceAll("_", " ")} into a ticket (${id}): ${listed(["user", ...entryRoles[kind]])} may.`,
  );
}

/** By the table of transitions alone. Throws ticket_refused, usage where the record has to say why. */
export function checkTransition(
  { id, state, fold }: Pick<StoredTicket, "id" | "state" | "fold">,
  { to, reason }: { readonly to: TicketState; readonly reason: string | undefined },
  actor: Actor,
): void {
  if (fold.standing.length > 1) return checkSettling({ id, states: fold.standing }, { to, reason }, actor);
  const rule = transitionRule(state, to);
  if (rule === undefined) {
    const what = state === to ? `is ${state} already` : `is ${state}, and cannot be brought to ${to}`;
    throw refused(`Ticket ${id} ${what}: from ${state} it goes ${waysFrom(state)}.`);
  }
  const mayBy = ["user" as const, ...rule.pods];
  if (!mayBy.includes(actor.role))
    throw refused(
      `${aRole(actor.role)} may not bring ticket ${id} from ${state} to ${to}: ${listed(mayBy)} may; from ${state} it goes ${waysFrom(state)}.`,
    );
  if (to === "closed" && actor.role !== "user" && actor.mayClose !== true)
    throw refused(
      `Ticket ${id} is closed by a person: an orchestrator does it only where a person set close = true under [tickets].`,
    );
  if (rule.needsReason && reason === undefined)
    throw new YoiError("usage", `Ticket ${id} goes from ${state} to ${to} only with a reason: say why.`);
}

/** Two branches that were merged brought the ticket different ways: a person says which holds, and why. */
function checkSettling(
  { id, states }: { readonly id: string; readonly states: readonly TicketState[] },
  { to, reason }: { readonly to: TicketState; readonly reason: string | undefined },
  { role }: Actor,
): void {
  const both = states.join(" and ");
  if (role !== "user")
    throw refused(
      `Ticket ${id} stands in ${both} at once, since two branches were merged that each changed its state: a person says which holds.`,
    );
  const ways = states.map((one) =>
    one === "closed"
      ? `yoi ticket close ${id} --resolution "TEXT"`
      : `yoi ticket status ${id} ${one} --reason "TEXT"`,
  );
  if (!states.includes(to))
    throw refused(
      `Ticket ${id} stands in ${both} at once, since two branches were merged that each changed its state: say which holds first (${ways.join(" or ")}).`,
    );
  if (to !== "closed" && reason === undefined)
    throw new YoiError(
      "usage",
      `Which state of ticket ${id} holds (${both}) goes on record only with a reason: say why.`,
    );
}

/** What a ticket may have to wait for. */
export interface Waiting {
  readonly actor: Actor;
  /** Ids of those that block it and are not resolved. */
  readonly blockedBy: readonly string[];
  readonly openParts: readonly string[];
  /** Of those that cannot be read, so that nobody knows. */
  readonly unread: readonly string[];
}

/** What has to come before the state `to`. Throws ticket_refused. */
export function checkGates(
  { id, fold }: StoredTicket,
  to: Transition["to"],
  { actor, blockedBy, openParts, unread }: Waiting,
): void {
  if (unread.length > 0)
    throw refused(
      `Whether ticket ${id} waits for another one is not known: ${named(unread)} cannot be read; see yoi ticket doctor, and mend that first.`,
    );
  if (to === "queued" && blockedBy.length > 0)
    throw refused(
      `Ticket ${id} is not queued while others block it that are neither done nor closed (${named(blockedBy)}): finish them, or unlink them.`,
    );
  if (to === "inprogress" && actor.role !== "user" && openParts.length > 0)
    throw refused(
      `Ticket ${id} is not taken while parts of it are neither done nor closed (${named(openParts)}): they come first, or a person takes it.`,
    );
  if (to !== "done") return;
  if (openParts.length > 0)
    throw refused(
      `Ticket ${id} is not done while parts of it are neither done nor closed (${named(openParts)}): finish them, or unlink them.`,
    );
  if (actor.role === "user" || fold.review === "approve") return;
  if (fold.reporters.length === 0)
    throw refused(
      `Ticket ${id} is not done without a report, and a review that approves it, since its work was last begun: have it done, reported and reviewed.`,
    );
  throw refused(
    `Ticket ${id} is not done without a review that approves, behind the last report${fold.review === "request_changes" ? " (the last one requests changes)" : ""}: have it reviewed.`,
  );
}

/** "to ready (intake or a person) or closed (a person)". */
function waysFrom(state: TicketState): string {
  const ways = transitionRules.filter(({ from }) => from === state);
  return `to ${ways.map(({ to, pods }) => `${to} (${listed(["user", ...pods])})`).join(" or ")}`;
}

const idsNamedMax = 8;

function named(ids: readonly string[]): string {
  const rest = ids.length - idsNamedMax;
  return `${ids.slice(0, idsNamedMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function aRole(role: TicketRole): string {
  if (role === "user") return "A person";
  return `${/^[aeiou]/.test(role) ? "An" : "A"} ${role}`;
}

function listed(roles: readonly TicketRole[]): string {
  const names = roles.map((role) =>
    role === "user" ? "a person" : `${/^[aeiou]/.test(role) ? "an" : "a"} ${role}`,
  );
  return names.length === 1 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`;
}
