/** The six ticket tools, over the service: each checks what the model sent, asks once, and says what came of it. */
import { type Claim, isJsonObject, type JsonObject, type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { type TicketState, ticketStates } from "@yoi/tickets";
import {
  beforeAllEvents,
  changeJson,
  type FollowedTicket,
  type FollowedTickets,
} from "./followed-tickets.ts";
import { TicketArguments } from "./ticket-arguments.ts";
import type { TicketClient } from "./ticket-client.ts";
import { type TicketToolName, ticketToolDeclarations } from "./ticket-declarations.ts";
import { listText, ticketText, titleLine } from "./ticket-text.ts";

interface TicketToolParts {
  readonly tickets: TicketClient;
  readonly followed: FollowedTickets;
}

export function ticketTools(parts: TicketToolParts): readonly Tool[] {
  return ticketToolDeclarations.map(({ name, description, input_schema, read_only }) => ({
    definition: { name, description, input_schema },
    readOnly: read_only,
    claim: () => claimOf(read_only),
    execute: async (args: JsonObject) => {
      const output = await runs[name](new TicketArguments(name, input_schema, args), parts);
      return output;
    },
  }));
}

/** Of the tickets, whose place is the workspace's: calls of one answer that write take place in their order, and what is read behind them has them. */
function claimOf(isReadOnly: boolean): Claim {
  return { path: "/.yoi/tickets", mode: isReadOnly ? "shared" : "exclusive" };
}

type Run = (args: TicketArguments, parts: TicketToolParts) => Promise<ToolOutput>;

const runs: Readonly<Record<TicketToolName, Run>> = {
  TicketCreate: async (args, parts) => {
    const wish = { title: args.title(), body: args.body(), ...args.fields() };
    const made = await written(parts, "create", wish);
    return {
      summary: `Made the ticket ${String(made["id"])}, in ${String(made["state"])}: ${titleLine(made["title"])}`,
      record: followed(parts, made, idOf({ id: made["last"] ?? null })),
    };
  },
  TicketComment: async (args, parts) => {
    const [ticket, kind] = [args.ticket(), args.kind()];
    const { event } = await written(parts, "add", { ticket, kind, body: args.body() });
    return {
      summary: `Wrote the ${kind} ${idOf(event)} into the ticket ${ticket}.`,
      ...(await changed(parts, ticket, event)),
    };
  },
  TicketReview: async (args, parts) => {
    const [ticket, status] = [args.ticket(), args.status()];
    const { event } = await written(parts, "add", { ticket, kind: "review", status, body: args.body() });
    return {
      summary: `Gave the review ${idOf(event)} to the ticket ${ticket}: ${status}.`,
      ...(await changed(parts, ticket, event)),
    };
  },
  TicketTransition: async (args, parts) => {
    const [ticket, to, reason] = [args.ticket(), args.to(), args.reason()];
    const resolution = args.resolution(to);
    const { event } =
      resolution === null
        ? await written(parts, "transition", { ticket, to, ...(reason === null ? {} : { reason }) })
        : await written(parts, "close", { ticket, resolution });
    const { from } = isJsonObject(event) ? event : {};
    return {
      summary: `The ticket ${ticket} is ${to} now${typeof from === "string" ? `, and was ${from}` : ""} (event ${idOf(event)}).`,
      ...(await changed(parts, ticket, event)),
    };
  },
  TicketList: async (args, { tickets }) => {
    const [states, limit] = [args.states(), args.limit()];
    return listText(await tickets("list", { ...(states === null ? {} : { states }), limit }));
  },
  TicketShow: async (args, parts) => {
    const [ticket, after, follow] = [args.ticket(), args.eventsAfter(), args.follow()];
    const shown = await parts.tickets("show", { ticket, ...(after === null ? {} : { events_after: after }) });
    const output = ticketText(shown);
    if (follow === true) return { ...output, record: followed(parts, shown, null) };
    if (follow === null) return output;
    const change = { ticket, follow: null, wrote: null };
    parts.followed.take(change);
    return { ...output, record: changeJson(change) };
  },
};

/** Where the service gives no answer, nobody knows whether it was done. */
async function written(
  { tickets, followed: set }: TicketToolParts,
  method: "create" | "add" | "transition" | "close",
  input: JsonObject,
): Promise<JsonObject> {
  try {
    return await set.writing(tickets(method, input), ({ id, last, event }) => ({
      ticket: String(id ?? input["ticket"]),
      event: idOf(event ?? { id: last ?? null }),
    }));
  } catch (error) {
    if (!(error instanceof YoiError && error.code === "service_failed")) throw error;
    throw new YoiError(
      "service_failed",
      `Whether it was done is not known: look with TicketShow or TicketList before you try again. ${error.message}`,
    );
  }
}

/** What was written into a ticket that may not be followed yet: events before it are no news. */
async function changed(
  { tickets, followed: set }: TicketToolParts,
  ticket: string,
  event: JsonObject[string] | undefined,
): Promise<Pick<ToolOutput, "record">> {
  const last = idOf(event);
  const to = isJsonObject(event) ? stateOf(event["to"]) : null;
  const before = set.of(ticket);
  if (before === null) {
    // What it is called stands in the ticket. Where that cannot be read now, it is followed all the same.
    const shown = await tickets("show", { ticket, events_after: last }).catch((error): JsonObject => {
      if (!(error instanceof YoiError)) throw error;
      return {};
    });
    const { title = "", state, known_after: known = "" } = shown;
    const found = { ticket, title: String(title), state: to ?? stateOf(state) ?? "planning" };
    return { record: follow(set, { ...found, known: String(known), last }, last) };
  }
  return { record: follow(set, { ...before, state: to ?? before.state, last }, last) };
}

function followed({ followed: set }: TicketToolParts, ticket: JsonObject, wrote: string | null): JsonObject {
  const { id, title, state, last, known } = ticket;
  const one = {
    ticket: String(id),
    title: String(title),
    state: stateOf(state) ?? "planning",
    known: String(known),
    last: typeof last === "string" ? last : beforeAllEvents,
  };
  return follow(set, one, wrote);
}

function follow(set: FollowedTickets, one: FollowedTicket, wrote: string | null): JsonObject {
  set.follow(one);
  return changeJson({ ticket: one.ticket, follow: set.of(one.ticket) ?? one, wrote });
}

function stateOf(value: JsonObject[string] | undefined): TicketState | null {
  return ticketStates.find((state) => state === value) ?? null;
}

function idOf(event: JsonObject[string] | undefined): string {
  const id = isJsonObject(event) ? event["id"] : undefined;
  return typeof id === "string" ? id : beforeAllEvents;
}
