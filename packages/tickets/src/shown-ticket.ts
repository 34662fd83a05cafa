/** A ticket as it is shown: what its own files say, and what others say about it. */
import { join } from "node:path/posix";
import type { TicketDigest } from "./catalog.ts";
import { surveyFolder } from "./doctor/survey.ts";
import { artifactsName, folderOf, isDirectory, type TicketPlace } from "./place.ts";
import type { StoredTicket } from "./stored-ticket.ts";
import { timeOfTicketId } from "./ticket-id.ts";
import type { Relation, Ticket, TicketSummary } from "./ticket.ts";

/** Files that are named; there may be more below `artifacts/`. */
export const artifactsShownMax = 1_000;

export function summaryOf(digest: TicketDigest, blockedBy: readonly string[]): TicketSummary {
  const { id, title, state, item, review, lastAt } = digest;
  const created = item.created_at ?? digest.firstAt ?? new Date(timeOfTicketId(id)).toISOString();
  return {
    id,
    title,
    state,
    created_at: created,
    updated_at: later(item.updated_at ?? created, lastAt),
    blocked_by: blockedBy,
    review,
    fields: item.fields,
  };
}

export function ticketOf(
  stored: StoredTicket,
  summary: TicketSummary,
  others: { readonly relatedFrom: readonly Relation[]; readonly artifacts: readonly string[] },
): Ticket {
  return {
    ...summary,
    body: stored.item.body,
    relations: stored.fold.relations,
    related_from: others.relatedFrom,
    resolution: stored.fold.resolution,
    artifacts: others.artifacts,
    events: stored.thread.events.map(({ event }) => event),
  };
}

function later(written: string, at: string | null): string {
  return at !== null && !(Date.parse(written) >= Date.parse(at)) ? at : written;
}

/** Files below a ticket's `artifacts/`, sorted; links and what is no file are left out, and not followed. Throws permission_denied where that is itself a link. */
export async function artifactsOf(place: TicketPlace, id: string): Promise<readonly string[]> {
  const folder = join(folderOf(place, id), artifactsName);
  if (!(await isDirectory(folder, place))) return [];
  const { paths } = await surveyFolder(place, folder);
  const files = paths.filter(({ kind }) => kind === "file").map(({ path }) => path);
  return files.toSorted().slice(0, artifactsShownMax);
}
