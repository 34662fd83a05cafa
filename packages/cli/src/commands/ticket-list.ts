/** `yoi ticket list`: the tickets of a workspace, the one that changed last first. */
import { type TicketState, ticketStates } from "@yoi/tickets";
import { stdoutScreen } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { ticketListText } from "../output/ticket-list-text.ts";
import { type ReadFlags, sayTicket, ticketsToRead } from "../tickets/ticket-command.ts";

export interface ListFlags extends ReadFlags {
  readonly state?: readonly (TicketState | "all")[];
  readonly limit?: number;
}

export async function ticketList(flags: ListFlags): Promise<number> {
  const { store, host, root } = await ticketsToRead(flags);
  const { state: states, limit } = flags;
  const wanted = states?.flatMap((state) => (state === "all" ? ticketStates : [state]));
  const { tickets: all, problems } = await store.list(wanted === undefined ? {} : { states: wanted });
  const sorted = all.toSorted((a, b) => compare(b.updated_at, a.updated_at) || compare(b.id, a.id));
  const tickets = limit === undefined ? sorted : sorted.slice(0, limit);
  const more = sorted.length - tickets.length;
  if (flags.json === true) process.stdout.write(jsonLine({ tickets, more, problems }));
  else if (tickets.length === 0)
    process.stdout.write(
      problems.length > 0
        ? `No ${states === undefined ? "open tickets" : "tickets with such a state"} in ${root} that can be read: see \`yoi ticket doctor\`.\n`
        : states === undefined
          ? `No open tickets in ${root}: \`yoi ticket create --title "..."\` makes one, \`yoi ticket list --state all\` shows closed ones too.\n`
          : `No tickets in ${root} with such a state.\n`,
    );
  else {
    const columns = stdoutScreen()?.columns ?? null;
    process.stdout.write(ticketListText(tickets, { now: host.clock.now(), columns }));
    if (more > 0) process.stdout.write(`${more} more.\n`);
  }
  for (const problem of problems) sayTicket(problem);
  return exitCode.done;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** For completion: of open ones, as far as they can be read. */
export async function ticketIds(): Promise<readonly string[]> {
  const { store } = await ticketsToRead({});
  return (await store.list()).tickets.map(({ id }) => id);
}
