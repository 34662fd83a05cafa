/** Tickets as a table for people. Pure. */
import { ageText, escapeControls } from "@yoi/base";
import type { TicketSummary } from "@yoi/tickets";
import { tableText } from "./table.ts";
import { columnsOf } from "./transcript/fold.ts";

/** Of a title, however narrow the terminal is. */
const titleColumnsMin = 20;
/** Of those that block a ticket. */
const blockersShownMax = 2;

/** @param columns of the terminal; null: there is none, and titles are whole. */
export function ticketListText(
  tickets: readonly TicketSummary[],
  { now, columns }: { readonly now: number; readonly columns: number | null },
): string {
  const anyBlocked = tickets.some(({ blocked_by: by }) => by.length > 0);
  const header = ["ID", "STATE", "UPDATED", ...(anyBlocked ? ["BLOCKED BY"] : [])];
  const rows = tickets.map((ticket) => [
    ticket.id,
    ticket.state,
    ageOf(ticket.updated_at, now),
    ...(anyBlocked ? [blockers(ticket)] : []),
  ]);
  const before = header.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const left = columns === null ? null : columns - before.reduce((sum, width) => sum + width + 2, 0);
  const titles = tickets.map(({ title }) =>
    left === null ? title : cutToColumns(escapeControls(title), Math.max(titleColumnsMin, left)),
  );
  return tableText(
    [...header, "TITLE"],
    rows.map((row, at) => [...row, titles[at] ?? ""]),
  );
}

/** Of a time that nobody can read: as it stands. */
export function ageOf(time: string, now: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : ageText(now - at);
}

function blockers({ blocked_by: by }: TicketSummary): string {
  const more = by.length > blockersShownMax ? ` +${by.length - blockersShownMax}` : "";
  return `${by.slice(0, blockersShownMax).join(", ")}${more}`;
}

function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let shown = "";
  let used = 1;
  for (const char of text) {
    used += columnsOf(char);
    if (used > columns) break;
    shown += char;
  }
  return `${shown}…`;
}
