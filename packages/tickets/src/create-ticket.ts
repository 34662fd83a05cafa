/** How a ticket comes to be: its thread first, then its item.md, which is what makes the folder a ticket. */
import { join } from "node:path/posix";
import { utf8Length, YoiError } from "@yoi/base";
import { dated } from "./append-event.ts";
import { isBegunFolder } from "./begun.ts";
import { ticketIds } from "./catalog.ts";
import { checkedBody, checkedTitle, oneLine, tooLong } from "./check-input.ts";
import { surveyFolder } from "./doctor/survey.ts";
import { newItem, ownKeys } from "./item.ts";
import { obsoleteFields } from "./legacy-fields.ts";
import { folderOf, itemName, type TicketDesk, threadName } from "./place.ts";
import { withEvent } from "./render-event.ts";
import type { NewTicket } from "./store.ts";
import { findTicket } from "./stored-ticket.ts";
import { encodeTicketId } from "./ticket-id.ts";
import { type Actor, ticketsMax } from "./ticket.ts";

/** Tickets of one millisecond, and of those before it that were made ahead of time. */
export const idProbesMax = 1_000;
export const fieldsMax = 32;
export const fieldKeyCharsMax = 64;
/** UTF-8 bytes of a value, or of one of a list. */
export const fieldValueBytesMax = 1_024;
export const fieldValuesMax = 64;

/** What is to stand in item.md, checked. Throws usage and limit_exceeded. */
export interface CheckedTicket {
  readonly title: string;
  readonly body: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

export function checkedTicket(ticket: NewTicket): CheckedTicket {
  return {
    title: checkedTitle(ticket.title),
    body: checkedBody("body of the ticket", ticket.body, "optional"),
    fields: checkedFields(ticket.fields ?? {}),
  };
}

function checkedFields(fields: NonNullable<NewTicket["fields"]>): CheckedTicket["fields"] {
  const entries = Object.entries(fields);
  if (entries.length > fieldsMax)
    throw tooLong(
      "front matter of the ticket",
      `${entries.length} further fields`,
      fieldsMax,
      "say the rest in its body",
    );
  return Object.fromEntries(entries.map(([key, value]) => [checkedKey(key), checkedValue(key, value)]));
}

function checkedKey(key: string): string {
  const called = `field ${JSON.stringify(key)} of the ticket`;
  if (!/^[a-z][a-z0-9_]*$/.test(key) || key.length > fieldKeyCharsMax)
    throw new YoiError(
      "usage",
      `The ${called} is called what no field is: use at most ${fieldKeyCharsMax} lower-case letters, digits and underscores.`,
    );
  if (ownKeys.some((own) => own === key) || obsoleteFields.includes(key))
    throw new YoiError("usage", `The ${called} cannot be given: it is said by the ticket itself.`);
  return key;
}

function checkedValue(key: string, value: string | readonly string[]): string | readonly string[] {
  const called = `field ${JSON.stringify(key)} of the ticket`;
  if (typeof value === "string") return checkedText(called, value);
  if (value.length > fieldValuesMax)
    throw tooLong(called, `${value.length} values`, fieldValuesMax, "say the rest in its body");
  return value.map((one) => checkedText(called, one));
}

function checkedText(called: string, text: string): string {
  const checked = oneLine(called, text);
  const bytes = utf8Length(checked);
  if (bytes > fieldValueBytesMax)
    throw tooLong(called, `${bytes} bytes`, fieldValueBytesMax, "say the rest in its body");
  return checked;
}

/**
 * Under the root's lock. Resolves with its id. What a killed one leaves, here or before item.md is in its place, is no ticket, and is taken away by the next; where the
 * disk fails, `io_failed` and `disk_full` are thrown also where the ticket is there and the disk did not say that it will stay.
 */
export async function createTicket(desk: TicketDesk, ticket: CheckedTicket, actor: Actor): Promise<string> {
  const { files, clock } = desk;
  const taken = await sweepBegun(desk);
  if (taken.size >= ticketsMax)
    throw new YoiError(
      "limit_exceeded",
      `There are ${taken.size} tickets in ${desk.root}, and at most ${ticketsMax} are kept: move folders of closed ones elsewhere.`,
    );
  const id = await freeId(desk, taken);
  const createdAt = new Date(clock.now()).toISOString();
  const item = newItem({ ...ticket, state: "planning", createdAt });
  const { author, role } = actor;
  const event = dated({ kind: "create", author, role, to: "planning", body: "" }, [], desk);
  const folder = folderOf(desk, id);
  await files.makeDirectory(folder);
  await files.replace(join(folder, threadName), Buffer.from(withEvent("", event)));
  await files.replace(join(folder, itemName), Buffer.from(item));
  return id;
}

/** A name is taken whatever stands under it. */
async function freeId(desk: TicketDesk, taken: ReadonlySet<string>): Promise<string> {
  const now = desk.clock.now();
  for (let probe = 0; probe < idProbesMax; probe += 1) {
    const id = encodeTicketId(now + probe);
    if (!taken.has(id) && (await desk.kindAt(folderOf(desk, id))) === null) return id;
  }
  throw new YoiError(
    "limit_exceeded",
    `The ids of the next ${idProbesMax} milliseconds are taken in ${desk.root}: check the clock of this machine.`,
  );
}

/** Takes away what killed creates left: folders with nothing in them but the event that a ticket begins with. Says which ids are taken. */
async function sweepBegun(desk: TicketDesk): Promise<ReadonlySet<string>> {
  const ids = await ticketIds(desk);
  const taken = new Set(ids);
  for (const id of ids) {
    const folder = folderOf(desk, id);
    if (!(await isLeft(desk, id))) continue;
    await desk.files.removeTree(folder);
    taken.delete(id);
  }
  return taken;
}

async function isLeft(desk: TicketDesk, id: string): Promise<boolean> {
  const folder = folderOf(desk, id);
  try {
    if ((await desk.kindAt(folder)) !== "directory") return false;
    if ((await desk.kindAt(join(folder, itemName))) !== null) return false;
    const { paths, cut } = await surveyFolder(desk, folder);
    if (cut || !isBegunFolder(paths)) return false;
    return (await findTicket(desk, id)) === null;
  } catch (error) {
    // What cannot be read is not this module's to take away.
    if (!(error instanceof YoiError)) throw error;
    return false;
  }
}
