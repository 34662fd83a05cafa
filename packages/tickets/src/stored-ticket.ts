/** A ticket as its files say it: read whole, from one folder, by whoever asks. */
import { join } from "node:path/posix";
import { isJsonObject, YoiError } from "@yoi/base";
import { isBegunThread } from "./begun.ts";
import { foldThread, type Folded } from "./fold.ts";
import { type ParsedItem, parseItem } from "./item.ts";
import { legacyField } from "./legacy-fields.ts";
import { folderOf, isDirectory, isRootThere, itemName, threadName, type TicketPlace } from "./place.ts";
import { damaged, readText } from "./text-file.ts";
import { type ParsedThread, parseThread } from "./thread.ts";
import { isTicketId } from "./ticket-id.ts";
import { itemBytesMax, threadBytesMax, type TicketState } from "./ticket.ts";

export interface StoredTicket {
  readonly id: string;
  readonly item: ParsedItem;
  /** As it stands in item.md. */
  readonly itemText: string;
  readonly title: string;
  readonly thread: ParsedThread;
  /** As it stands in thread.md; empty where there is none. */
  readonly threadText: string;
  readonly fold: Folded;
  /** What the thread says; where it says nothing, item.md. */
  readonly state: TicketState;
}

/** Throws ticket_unknown where there is none, and what `findTicket` throws. */
export async function readTicket(place: TicketPlace, id: string): Promise<StoredTicket> {
  const found = isTicketId(id) && (await isRootThere(place)) ? await findTicket(place, id) : null;
  if (found === null) throw unknown(place, id);
  return found;
}

export function unknown({ root }: Pick<TicketPlace, "root">, id: string): YoiError {
  const why = isTicketId(id) ? `below ${root}` : "under a name that is no id of 13 characters";
  return new YoiError(
    "ticket_unknown",
    `There is no ticket ${JSON.stringify(id)} ${why}: see yoi ticket list --state all.`,
  );
}

/**
 * Null: there is none; what a killed `create` or import leaves is none either. The root is there, and is what it must be. Throws permission_denied for links and
 * special files, ticket_damaged with file and line.
 */
export async function findTicket(place: TicketPlace, id: string): Promise<StoredTicket | null> {
  const folder = folderOf(place, id);
  const found = await readThread(place, id);
  if (found === null) return null;
  const { threadText, thread, fold } = found;
  const itemText = await readText(join(folder, itemName), itemBytesMax, place);
  if (itemText === null) {
    if (isBegunThread(threadText, thread)) return null;
    throw damaged(join(folder, itemName), "is missing: get it back from version control");
  }
  const item = parseItem(itemText);
  // The thread is the last that comes of a ticket that is brought in.
  const isComing = threadText === "" && isJsonObject(item.fields[legacyField]);
  if (isComing && (await place.kindAt(join(folder, threadName))) === null) return null;
  const state = fold.state ?? item.state;
  if (item.title === null || state === null) throw damagedItem(join(folder, itemName), item);
  return { id, item, itemText, title: item.title, thread, threadText, fold, state };
}

/** What stands in it where its item.md cannot be read. Null: there is no folder. Throws as `findTicket` does. */
export async function readThread(
  place: TicketPlace,
  id: string,
): Promise<Pick<StoredTicket, "thread" | "threadText" | "fold"> | null> {
  if (!(await isDirectory(folderOf(place, id), place))) return null;
  const threadText = (await readText(join(folderOf(place, id), threadName), threadBytesMax, place)) ?? "";
  const thread = parseThread(threadText);
  return { thread, threadText, fold: foldThread(thread.events.map(({ event }) => event)) };
}

function damagedItem(path: string, { title, problems }: ParsedItem): YoiError {
  const [first] = problems;
  if (first !== undefined) return damaged(path, `cannot be read as a ticket: ${first.message}`, first.line);
  return damaged(
    path,
    `does not say its ${title === null ? "title" : "state"}: add it between the --- lines`,
  );
}
