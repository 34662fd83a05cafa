/** `yoi ticket status`, `close` and `reopen`: where a ticket is, and where it may go from there. */
import { YoiError } from "@yoi/base";
import {
  contestedStates,
  type Ticket,
  type TicketEvent,
  type TicketState,
  type TicketStore,
  transitionRules,
} from "@yoi/tickets";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printResult } from "../output/print-result.ts";
import { tableText } from "../output/table.ts";
import { type BodyFlags, readBody } from "../tickets/read-body.ts";
import { type ReadFlags, ticketsToRead, ticketsToWrite, type WriteFlags } from "../tickets/ticket-command.ts";

export interface StatusFlags extends WriteFlags {
  readonly reason?: string;
}

export async function ticketStatus(
  given: string,
  state: TicketState | undefined,
  flags: StatusFlags,
): Promise<number> {
  if (state === undefined) return sayStatus(given, flags);
  const { store, actor, named } = await ticketsToWrite(flags);
  const id = await named(given);
  if (state === "closed")
    throw new YoiError(
      "usage",
      `A ticket is closed with its resolution: \`yoi ticket close ${id} --resolution "TEXT"\`.`,
    );
  const { reason } = flags;
  const event = await store.transition(id, { to: state, ...(reason === undefined ? {} : { reason }) }, actor);
  return printChange(flags, id, event);
}

async function sayStatus(given: string, flags: StatusFlags): Promise<number> {
  for (const flag of ["reason", "author"] as const)
    if (flags[flag] !== undefined)
      throw new YoiError("usage", `--${flag} is of a change: say which state the ticket is to have too.`);
  const { store, named } = await ticketsToRead(flags);
  const ticket = await store.show(await named(given));
  const contested = contestedStates(ticket);
  const rules = waysFrom(ticket, contested);
  const openParts = await openPartsOf(ticket, store);
  if (flags.json === true) {
    const { id, title, state, blocked_by: blockedBy } = ticket;
    const next = rules.map(({ to, pods, needsReason }) => {
      return { to, roles: ["user", ...pods], needs_reason: needsReason };
    });
    process.stdout.write(
      jsonLine({ ticket: id, title, state, contested, blocked_by: blockedBy, open_parts: openParts, next }),
    );
    return exitCode.done;
  }
  process.stdout.write(
    contested.length === 0
      ? `${ticket.id} is ${ticket.state}. From there:\n`
      : `${ticket.id} stands in ${contested.join(" and ")} at once, since two branches were merged that each changed its state. Say which holds:\n`,
  );
  const rows = rules.map((rule) => [
    rule.to,
    ["you", ...rule.pods].join(", "),
    needs(rule, ticket, openParts),
  ]);
  process.stdout.write(tableText(["TO", "BY", "WITH"], rows));
  return exitCode.done;
}

type Way = Pick<(typeof transitionRules)[number], "from" | "to" | "pods" | "needsReason">;

function waysFrom({ state }: Ticket, contested: readonly TicketState[]): readonly Way[] {
  if (contested.length === 0) return transitionRules.filter(({ from }) => from === state);
  return contested.map((to) => ({ from: state, to, pods: [], needsReason: to !== "closed" }));
}

/** Ids of its parts that are neither done nor closed. */
async function openPartsOf({ related_from: from }: Ticket, store: TicketStore): Promise<readonly string[]> {
  const parts = new Set(from.flatMap(({ relation, target }) => (relation === "part_of" ? [target] : [])));
  if (parts.size === 0) return [];
  const { tickets } = await store.list({ states: ["planning", "ready", "queued", "inprogress"] });
  return tickets.flatMap(({ id }) => (parts.has(id) ? [id] : []));
}

function needs(
  { from, to, needsReason }: Way,
  { blocked_by: blockedBy }: Ticket,
  openParts: readonly string[],
): string {
  if (to === "closed") return "a resolution: yoi ticket close";
  if (from === "closed") return "a reason: yoi ticket reopen";
  if (to === "queued" && blockedBy.length > 0) return `done or closed before: ${blockedBy.join(", ")}`;
  if (to === "done" && openParts.length > 0) return `done or closed before: ${openParts.join(", ")}`;
  return needsReason ? "a reason" : "";
}

export interface CloseFlags extends WriteFlags, BodyFlags {
  readonly resolution?: string;
}

export async function ticketClose(given: string, flags: CloseFlags): Promise<number> {
  const { store, actor, named, source } = await ticketsToWrite(flags);
  const id = await named(given);
  const wanted = { what: "the resolution", example: `\`yoi ticket close ${id} --resolution "TEXT"\`` };
  const event = await store.close(id, await readBody(flags.resolution, flags, wanted, source), actor);
  return printChange(flags, id, event);
}

export interface ReopenFlags extends WriteFlags {
  readonly reason: string;
}

export async function ticketReopen(given: string, flags: ReopenFlags): Promise<number> {
  const { store, actor, named } = await ticketsToWrite(flags);
  const id = await named(given);
  return printChange(flags, id, await store.reopen(id, flags.reason, actor));
}

function printChange(flags: ReadFlags, ticket: string, event: TicketEvent): number {
  const { id, from = "?", to = "?" } = event;
  printResult(flags, { ticket, ...event }, `${ticket}: ${from} -> ${to} (event ${id})`);
  return exitCode.done;
}
