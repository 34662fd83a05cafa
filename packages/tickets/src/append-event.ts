/** The one write that counts, and what follows from it: an event comes into the thread, and item.md and resolution.md are made to say what the thread says. */
import { join } from "node:path/posix";
import { utf8Length, YoiError } from "@yoi/base";
import { sweepTemporaries } from "@yoi/host";
import { foldThread } from "./fold.ts";
import { editItem, type ItemChange } from "./edit-item.ts";
import { parseItem } from "./item.ts";
import { normalizeBody } from "./lines.ts";
import { folderOf, itemName, resolutionName, type TicketDesk, threadName, ticketFiles } from "./place.ts";
import { withEvent } from "./render-event.ts";
import type { StoredTicket } from "./stored-ticket.ts";
import { readText } from "./text-file.ts";
import { encodeTicketId, isTicketId, timeOfTicketId } from "./ticket-id.ts";
import { parseThread } from "./thread.ts";
import { itemBytesMax, threadBytesMax, type TicketEvent } from "./ticket.ts";

/** By how much the clock may have been ahead that gave an id: one of a later time than that is no time, and behind the last that there is no id comes. */
export const clockAheadMsMax = 366 * 86_400_000;

/** All but when it is, and under which id. */
export type EventDraft = Omit<TicketEvent, "id" | "at">;

type Stored = Pick<StoredTicket, "id" | "itemText" | "threadText" | "thread">;

/**
 * Under the root's lock. Durable when it resolves. `io_failed` and `disk_full` are thrown also where the event came to stand in the thread and the disk then did not
 * say that it will stay: read the ticket again. What follows from the event is written too; where the disk fails at that, the next writer does it, see `heal`.
 */
export async function appendEvent(desk: TicketDesk, stored: Stored, draft: EventDraft): Promise<TicketEvent> {
  const event = dated(
    draft,
    stored.thread.events.map(({ event: { id } }) => id),
    desk,
  );
  const threadText = withEvent(stored.threadText, event);
  const bytes = utf8Length(threadText);
  if (bytes > threadBytesMax)
    throw new YoiError(
      "limit_exceeded",
      `The thread of ticket ${stored.id} would have ${bytes} bytes, and at most ${threadBytesMax} are kept: go on in a ticket that follows it.`,
    );
  const folder = folderOf(desk, stored.id);
  // Before it counts: what leads elsewhere is not where a resolution comes.
  if (draft.to === "closed") await foundAt(join(folder, resolutionName), desk);
  await desk.files.replace(join(folder, threadName), Buffer.from(threadText));
  if (draft.to === undefined) return event;
  try {
    await settle(desk, { ...stored, threadText, thread: parseThread(threadText) });
  } catch (error) {
    // The event stands, which is what was asked for; what follows from it can be had from it at any time.
    if (!(error instanceof YoiError)) throw error;
  }
  return event;
}

/** Its id is a time too, and greater than those of the events before it, see `clockAheadMsMax`. */
export function dated(
  draft: EventDraft,
  before: readonly string[],
  { clock }: Pick<TicketDesk, "clock">,
): TicketEvent {
  const now = clock.now();
  const lastMs = before.reduce((last, id) => {
    const ms = isTicketId(id) ? timeOfTicketId(id) : -1;
    return ms > now + clockAheadMsMax ? last : Math.max(last, ms);
  }, -1);
  return { id: encodeTicketId(Math.max(now, lastMs + 1)), ...draft, at: new Date(now).toISOString() };
}

/**
 * Under the root's lock: does what a writer that was killed left to do in this ticket, and hands back what then stands in item.md. Nothing is lost by it: the state is the
 * thread's, a resolution is written where none is, and taken away where it is the very text of an event.
 */
export async function heal(desk: TicketDesk, stored: Stored): Promise<string> {
  await sweepTemporaries(desk.files, folderOf(desk, stored.id), ticketFiles);
  return settle(desk, stored);
}

async function settle(desk: TicketDesk, { id, itemText, thread }: Stored): Promise<string> {
  const folder = folderOf(desk, id);
  const events = thread.events.map(({ event }) => event);
  const { state, standing, resolution } = foldThread(events);
  // Of two states what a person left in item.md says more than the one that the ticket is shown in.
  if (state === null || standing.length > 1) return itemText;
  await settleResolution(desk, join(folder, resolutionName), {
    resolution,
    events,
    isClosed: state === "closed",
  });
  if (parseItem(itemText).state === state) return itemText;
  const at = events.findLast(({ to, kind }) => to === state || kind === "close")?.at ?? "";
  const edited = editedItem(itemText, { state, ...(at === "" ? {} : { updated_at: at }) });
  if (edited === null) return itemText;
  await desk.files.replace(join(folder, itemName), Buffer.from(edited));
  return edited;
}

/** Null: a person has to change it. Until then readers have the state from the thread, and doctor says that item.md says another. */
function editedItem(itemText: string, change: ItemChange): string | null {
  try {
    const edited = editItem(itemText, change);
    return utf8Length(edited) > itemBytesMax ? null : edited;
  } catch (error) {
    if (error instanceof YoiError && (error.code === "ticket_damaged" || error.code === "limit_exceeded"))
      return null;
    throw error;
  }
}

async function settleResolution(
  desk: TicketDesk,
  path: string,
  thread: {
    readonly resolution: string | null;
    readonly events: readonly TicketEvent[];
    readonly isClosed: boolean;
  },
): Promise<void> {
  // Nobody ever closed it: what stands there is somebody's, and nothing of it is asked.
  const isOfUs = thread.isClosed || thread.events.some(({ kind }) => kind === "close");
  if (!isOfUs) return;
  const found = await foundAt(path, desk);
  if (thread.isClosed) {
    if (found === "nothing" && thread.resolution !== null && thread.resolution !== "")
      await desk.files.replace(path, Buffer.from(resolutionText(thread.resolution)));
    return;
  }
  const isOurs = thread.events.some(
    ({ kind, body }) => kind === "close" && typeof found === "object" && body === normalizeBody(found.text),
  );
  if (!isOurs) return;
  await desk.files.removeFile(path);
  await desk.files.syncDirectory(join(path, ".."));
}

/** What is longer than any resolution, or no text, was put there by somebody, and is theirs. */
async function foundAt(
  path: string,
  desk: TicketDesk,
): Promise<{ readonly text: string } | "nothing" | "other"> {
  try {
    const text = await readText(path, itemBytesMax, desk);
    return text === null ? "nothing" : { text };
  } catch (error) {
    if (error instanceof YoiError && error.code === "ticket_damaged") return "other";
    throw error;
  }
}

function resolutionText(resolution: string): string {
  return `${resolution}\n`;
}
