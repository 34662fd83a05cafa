/** All that can be said of one ticket by itself. */
import { isJsonObject } from "@yoi/base";
import type { RelatedTicket } from "../catalog.ts";
import { isBegunFolder, isBegunThread } from "../begun.ts";
import { foldThread } from "../fold.ts";
import { type ParsedItem, parseItem } from "../item.ts";
import { legacyField } from "../legacy-fields.ts";
import { normalizeBody, splitLines } from "../lines.ts";
import { itemName, resolutionName, threadName } from "../place.ts";
import { type ParsedThread, parseThread } from "../thread.ts";
import { isTicketId } from "../ticket-id.ts";
import type { TicketState } from "../ticket.ts";
import { checkFolder, checkText } from "./check-folder.ts";
import { checkItem } from "./check-item.ts";
import { checkThread } from "./check-thread.ts";
import { conflictAt, reportConflict } from "./conflict.ts";
import { type Findings, findings, type Problem } from "./problem.ts";
import type { Listing, SurveyedText } from "./survey.ts";

/** What stands on disk of one ticket. */
export interface FoundTicket {
  readonly id: string;
  readonly listing: Listing;
  readonly item: SurveyedText;
  readonly thread: SurveyedText;
  readonly resolution: SurveyedText;
}

export interface CheckedTicket {
  readonly problems: readonly Problem[];
  /** Null: this is no ticket, as what a killed `create` leaves. */
  readonly related: RelatedTicket | null;
  /** The folder of an old layout that it came in from; null: it did not. */
  readonly legacyId: string | null;
}

export function checkTicket(ticket: FoundTicket, nowMs: number): CheckedTicket {
  const { id, listing } = ticket;
  const found = findings(id);
  checkFolder(id, listing, found);
  for (const [name, text] of Object.entries({
    [itemName]: ticket.item,
    [threadName]: ticket.thread,
    [resolutionName]: ticket.resolution,
  }))
    checkText(name, text, found);
  const threadText = ticket.thread.found === "text" ? ticket.thread.text : "";
  const thread = parseThread(threadText);
  if (ticket.item.found === "nothing" && isRemainder(ticket, threadText, thread)) {
    found.warning(
      "create_unfinished",
      "",
      "A command that was cut short began a ticket here, and nobody was told that it is one.",
      {
        fix: { kind: "remove_remainder", ticket: id },
      },
    );
    return { problems: found.problems, related: null, legacyId: null };
  }
  const item = ticket.item.found === "text" ? parseItem(ticket.item.text) : null;
  if (ticket.item.found === "nothing")
    found.error(
      "item_missing",
      itemName,
      "A ticket without item.md cannot be read: get it back from version control.",
    );
  if (ticket.item.found === "text" && item !== null)
    checkItem({ text: ticket.item.text, item, nowMs }, found);
  const fields = item?.fields ?? {};
  const legacy = isJsonObject(fields[legacyField]) ? fields[legacyField] : {};
  const legacyId = typeof legacy["id"] === "string" ? legacy["id"] : null;
  if (ticket.thread.found === "nothing") reportNoThread(legacyId, found);
  if (ticket.thread.found === "text")
    checkThread({ id, text: threadText, thread, fields, createdAt: item?.created_at ?? null, nowMs }, found);
  const { state, relations } = checkState(ticket, { item, thread }, found);
  return { problems: found.problems, related: { id, state, relations }, legacyId };
}

function reportNoThread(legacyId: string | null, found: Findings): void {
  found.error(
    "thread_missing",
    threadName,
    legacyId === null
      ? "What happened to this ticket is not on record: get thread.md back from version control, or begin it with a comment."
      : `The import of ${legacyId} was not finished: run it again.`,
  );
}

function isRemainder({ listing, thread }: FoundTicket, text: string, parsed: ParsedThread): boolean {
  const isRead = thread.found === "nothing" || thread.found === "text";
  return isRead && isBegunThread(text, parsed) && !listing.cut && isBegunFolder(listing.paths);
}

function checkState(
  ticket: FoundTicket,
  { item, thread }: { readonly item: ParsedItem | null; readonly thread: ParsedThread },
  found: Findings,
): Omit<RelatedTicket, "id"> {
  const events = thread.events.map(({ event }) => event);
  const fold = foldThread(events);
  const itemState = item?.state ?? null;
  const heal = { fix: { kind: "heal", ticket: ticket.id } } as const;
  // Of two states item.md may say either, until a person does.
  const isContested = fold.standing.length > 1;
  if (fold.state !== null && itemState !== null && fold.state !== itemState && !isContested)
    found.error(
      "state_mismatch",
      itemName,
      `item.md says ${itemState}, and the thread, which counts, ${fold.state}.`,
      heal,
    );
  const state = fold.state ?? itemState;
  const closings = events.filter(({ kind }) => kind === "close").map(({ body }) => body);
  if (item !== null && state !== null && !isContested)
    checkResolution(ticket.resolution, { state, resolution: fold.resolution, closings, heal }, found);
  // One to no id is reported where its event is.
  return { state, relations: fold.relations.filter(({ target }) => isTicketId(target)) };
}

function checkResolution(
  file: SurveyedText,
  thread: {
    readonly state: TicketState;
    readonly resolution: string | null;
    readonly closings: readonly string[];
    readonly heal: { readonly fix: { readonly kind: "heal"; readonly ticket: string } };
  },
  found: Findings,
): void {
  const { state, resolution, closings, heal } = thread;
  // Nothing was merged where it is what somebody closed the ticket with.
  if (file.found === "text" && ![resolution, ...closings].includes(normalizeBody(file.text))) {
    const conflict = conflictAt(splitLines(file.text));
    if (conflict !== null) return reportConflict(resolutionName, conflict, found);
  }
  if (state === "closed") {
    if (file.found === "nothing")
      found.warning(
        "resolution_missing",
        resolutionName,
        (resolution ?? "") === ""
          ? "This is closed, and nobody said how it ended: reopen it, and close it with a resolution."
          : "This is closed, and its resolution stands in the thread alone.",
        (resolution ?? "") === "" ? {} : heal,
      );
    else if (file.found === "text" && resolution !== null && normalizeBody(file.text) !== resolution)
      found.warning(
        "resolution_differs",
        resolutionName,
        "This is not the resolution that the thread has, which counts: say in a comment what has to be known, and put this file right.",
      );
    return;
  }
  if (file.found !== "text") return;
  // Only such a file is taken away; the ends of its lines may be another system's.
  const isOurs = closings.includes(normalizeBody(file.text));
  found.warning(
    "resolution_unexpected",
    resolutionName,
    isOurs
      ? `This is ${state}, and its resolution of before stands in the thread.`
      : `This is ${state}, and has a resolution that the thread does not have: move it to a comment or to artifacts/.`,
    isOurs ? heal : {},
  );
}
