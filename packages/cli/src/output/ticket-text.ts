/** A ticket as a person reads it: what it is now, its text, and its thread. Pure. */
import type { JsonValue } from "@yoi/base";
import {
  contestedStates,
  type Relation,
  type RelationKind,
  type Ticket,
  type TicketEvent,
} from "@yoi/tickets";
import { ageOf } from "./ticket-list-text.ts";
import { block, lineBlock, linesOf } from "./transcript/entry-blocks.ts";

/** Each row has its sign in the first column, and text of a ticket none: so no text can pass for an event. */
export function ticketText(
  ticket: Ticket,
  { now, columns }: { readonly now: number; readonly columns: number | null },
): string {
  const facts = factsOf(ticket, now).map((fact) => linesOf(lineBlock("-", fact), columns));
  const texts = (text: string): string => (text === "" ? "" : `\n${linesOf(block(" ", text), columns)}`);
  const events = ticket.events.map(
    (event) => `\n${linesOf(lineBlock("*", eventLine(event)), columns)}${texts(event.body)}`,
  );
  return [
    linesOf(lineBlock("#", ticket.title), columns),
    ...facts,
    texts(ticket.body),
    ...events,
    unsaidResolution(ticket)
      ? `\n${linesOf(lineBlock("*", "resolution"), columns)}${texts(ticket.resolution ?? "")}`
      : "",
  ].join("");
}

function factsOf(ticket: Ticket, now: number): readonly string[] {
  const { id, state, created_at: created, updated_at: updated, review, artifacts } = ticket;
  const contested = contestedStates(ticket);
  const blocked = ticket.blocked_by.length === 0 ? "" : `, waits for ${ticket.blocked_by.join(", ")}`;
  return [
    `${id}: ${state}${blocked}`,
    ...(contested.length === 0
      ? []
      : [`stands in ${contested.join(" and ")}: say which holds, see yoi ticket status ${id}`]),
    `created ${created}, updated ${updated} (${ageOf(updated, now)})`,
    ...Object.entries(ticket.fields).map(([key, value]) => `${key}: ${valueText(value)}`),
    ...ticket.relations.map(({ relation, target }: Relation) => `${forward[relation]} ${target}`),
    ...ticket.related_from.map(({ relation, target }: Relation) => `${backward[relation]} ${target}`),
    ...(review === null ? [] : [`reviewed: ${review}`]),
    ...(artifacts.length === 0 ? [] : [`artifacts: ${artifacts.join(", ")}`]),
  ];
}

const forward: Readonly<Record<RelationKind, string>> = {
  blocks: "blocks",
  part_of: "part of",
  follows: "follows",
};

const backward: Readonly<Record<RelationKind, string>> = {
  blocks: "blocked by",
  part_of: "has part",
  follows: "followed by",
};

function valueText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
  return isList ? value.join(", ") : (JSON.stringify(value) ?? "");
}

/** As `state_changed ready -> queued by hare (user), 2026-06-03T12:23:17.001Z: it is agreed [00001KT6Q08R9]`. */
function eventLine(event: TicketEvent): string {
  const { id, kind, author, role, at, status, from, to, relation, target, reason } = event;
  const said = [
    kind,
    ...(status === undefined ? [] : [status]),
    ...(from === undefined && to === undefined
      ? []
      : [from === undefined ? (to ?? "") : `${from} -> ${to ?? "?"}`]),
    ...(relation === undefined ? [] : [relation]),
    ...(target === undefined ? [] : [target]),
    `by ${author === "" ? "nobody named" : author}`,
    ...(role === null ? [] : [`(${role})`]),
  ].join(" ");
  return `${said}${at === "" ? "" : `, ${at}`}${reason === undefined ? "" : `: ${reason}`} [${id}]`;
}

/** It stands in the event that closed the ticket, or in the one that brought it in, unless another tool wrote it. */
function unsaidResolution({ resolution, events }: Ticket): boolean {
  return (
    resolution !== null &&
    !events.some(({ kind, body }) => ["close", "migration"].includes(kind) && body === resolution)
  );
}
