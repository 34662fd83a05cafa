/** `yoi ticket comment`, `plan`, `decide`, `report` and `review`: what is said of a ticket and changes nothing else. */
import { YoiError } from "@yoi/base";
import type { Entry, ReviewStatus } from "@yoi/tickets";
import { exitCode } from "../exit-code.ts";
import { printResult } from "../output/print-result.ts";
import { type BodyFlags, readBody, readBodyIfAny } from "../tickets/read-body.ts";
import { ticketsToWrite, type TicketWriting, type WriteFlags } from "../tickets/ticket-command.ts";

export interface EntryFlags extends WriteFlags, BodyFlags {}

type Kind = Exclude<Entry["kind"], "review">;

const verbs: Readonly<Record<Kind, { readonly verb: string; readonly what: string }>> = {
  comment: { verb: "comment", what: "the comment" },
  plan: { verb: "plan", what: "the plan" },
  decision: { verb: "decide", what: "the decision" },
  implementation_report: { verb: "report", what: "the report" },
};

export async function ticketAdd(
  kind: Kind,
  given: string,
  text: string | undefined,
  flags: EntryFlags,
): Promise<number> {
  const tickets = await ticketsToWrite(flags);
  const id = await tickets.named(given);
  const { verb, what } = verbs[kind];
  const wanted = { what, example: `\`yoi ticket ${verb} ${id} "TEXT"\`` };
  const body = await readBody(text, flags, wanted, tickets.source);
  return add(tickets, id, { kind, body }, flags);
}

export interface ReviewFlags extends EntryFlags {
  readonly approve?: boolean;
  readonly requestChanges?: boolean;
}

/** What is asked for is said; an approval may stand alone. */
export async function ticketReview(
  given: string,
  text: string | undefined,
  flags: ReviewFlags,
): Promise<number> {
  if ((flags.approve === true) === (flags.requestChanges === true))
    throw new YoiError("usage", "A review says one of --approve and --request-changes.");
  const status: ReviewStatus = flags.approve === true ? "approve" : "request_changes";
  const tickets = await ticketsToWrite(flags);
  const id = await tickets.named(given);
  const flag = flags.approve === true ? "--approve" : "--request-changes";
  const wanted = { what: "the review", example: `\`yoi ticket review ${id} ${flag} "TEXT"\`` };
  const read = flags.approve === true ? readBodyIfAny : readBody;
  const body = await read(text, flags, wanted, tickets.source);
  return add(tickets, id, { kind: "review", status, body }, flags);
}

async function add(
  { store, actor }: TicketWriting,
  ticket: string,
  entry: Entry,
  flags: EntryFlags,
): Promise<number> {
  const event = await store.add(ticket, entry, actor);
  const which = event.status === undefined ? event.kind : `${event.kind} (${event.status})`;
  printResult(flags, { ticket, ...event }, `added ${which} ${event.id} to ${ticket}`);
  return exitCode.done;
}
