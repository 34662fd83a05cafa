/** What the service of tickets answers: tickets, events and news as bounded JSON. Field names are those of `yoi ticket --json`. */
import { type JsonObject, type JsonValue, utf8Length } from "@yoi/base";
import {
  markOf,
  type News,
  type Relation,
  type Ticket,
  type TicketEvent,
  type TicketList,
  type TicketNews,
  type TicketSummary,
} from "@yoi/tickets";
import { cutText, fitting } from "./fitting.ts";
import {
  listedTicketsMax,
  newsBodyBytesMax,
  newsBytesMax,
  shownBodyBytesMax,
  shownBytesMax,
  shownFieldBytesMax,
  shownNameBytesMax,
  shownNamesMax,
  shownProblemsMax,
} from "./ticket-service.ts";

/** `body_bytes`, where the body is cut: how many it has. */
export function eventJson(event: TicketEvent, bodyBytesMax: number): JsonObject {
  const { id, kind, author, role, at, status, from, to, reason, relation, target } = event;
  const { text, bytes } = cutText(event.body, bodyBytesMax);
  const said = { status, from, to, reason, relation, target };
  return {
    id,
    kind: short(kind),
    author: short(author),
    role,
    at: short(at),
    ...Object.fromEntries(
      Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [[name, short(value)]])),
    ),
    body: text,
    ...(bytes === null ? {} : { body_bytes: bytes }),
  };
}

/** `event` null: the thread was put together anew, and is known as it stands. */
export function newsJson({ ticket, title, state, mark, event }: TicketNews): JsonObject {
  const said = event === null ? null : eventJson(event, newsBodyBytesMax);
  return { ticket, title: short(title), state, mark, event: said };
}

/** The first that have room, and at least one. `more`: there are others behind them. */
export function newsAnswer({ news, more, unreadable }: News): JsonObject {
  const shown = news.map(newsJson);
  const told = shown.slice(0, Math.max(1, fitting(shown, newsBytesMax)));
  return {
    news: told,
    more: more || told.length < shown.length,
    unreadable: unreadable.slice(0, shownProblemsMax).map((problem) => short(problem)),
  };
}

/** `left_out`: how many more there are. */
export function listJson({ tickets, problems }: TicketList, limit: number): JsonObject {
  const first = tickets.slice(0, Math.min(limit, listedTicketsMax)).map(summaryJson);
  const shown = first.slice(0, fitting(first, shownBytesMax));
  return {
    tickets: shown,
    left_out: tickets.length - shown.length,
    problems: problems.slice(0, shownProblemsMax).map((problem) => short(problem)),
    problems_left_out: Math.max(0, problems.length - shownProblemsMax),
  };
}

/**
 * The last events that have room, or, behind the event `after` (`start`: from the first one), the first that have. `earlier` and `later`: how many more there are on
 * each side. `known`, and `known_after` where `after` is given: the marks of the whole thread and of it up to that event. Null: there is no such event.
 */
export function ticketJson(ticket: Ticket, after: string | null): JsonObject | null {
  const { events } = ticket;
  const from = after === null || after === "start" ? 0 : events.findIndex(({ id }) => id === after) + 1;
  if (after !== null && after !== "start" && from === 0) return null;
  const head = headJson(ticket);
  const room = shownBytesMax - utf8Length(JSON.stringify(head));
  const shown = events.slice(from).map((event) => eventJson(event, shownBodyBytesMax));
  const count = (values: readonly JsonValue[]) => Math.min(values.length, Math.max(1, fitting(values, room)));
  const first = after === null ? shown.length - count(shown.toReversed()) : 0;
  const page = after === null ? shown.slice(first) : shown.slice(0, count(shown));
  return {
    ...head,
    events: page,
    earlier: from + first,
    later: shown.length - first - page.length,
    last: events.at(-1)?.id ?? null,
    known: markOf(events),
    ...(after === null ? {} : { known_after: markOf(events.slice(0, from)) }),
  };
}

function headJson(ticket: Ticket): JsonObject {
  const { relations, related_from: from, artifacts, resolution } = ticket;
  const body = cutText(ticket.body, shownBodyBytesMax);
  const resolved = resolution === null ? null : cutText(resolution, shownBodyBytesMax);
  return {
    ...summaryJson(ticket),
    body: body.text,
    ...(body.bytes === null ? {} : { body_bytes: body.bytes }),
    relations: relations.slice(0, shownNamesMax).map(relationJson),
    related_from: from.slice(0, shownNamesMax).map(relationJson),
    artifacts: artifacts.slice(0, shownNamesMax).map((path) => short(path, shownNameBytesMax)),
    artifacts_left_out: Math.max(0, artifacts.length - shownNamesMax),
    relations_left_out:
      Math.max(0, relations.length - shownNamesMax) + Math.max(0, from.length - shownNamesMax),
    resolution: resolved === null ? null : resolved.text,
    ...(resolved === null || resolved.bytes === null ? {} : { resolution_bytes: resolved.bytes }),
  };
}

export function summaryJson(ticket: TicketSummary): JsonObject {
  const { id, title, state, created_at, updated_at, blocked_by, review, fields } = ticket;
  const named = Object.entries(fields).slice(0, shownNamesMax);
  const count = fitting(
    named.map(([name, value]) => [name, value ?? null]),
    shownFieldBytesMax,
  );
  return {
    id,
    title: short(title),
    state,
    created_at: short(created_at),
    updated_at: short(updated_at),
    blocked_by: blocked_by.slice(0, shownNamesMax),
    review,
    fields: Object.fromEntries(named.slice(0, count)),
  };
}

function relationJson({ relation, target }: Relation): JsonObject {
  return { relation, target };
}

function short(text: string, bytesMax: number = shownFieldBytesMax): string {
  const { text: cut, bytes } = cutText(text, bytesMax);
  return bytes === null ? cut : `${cut}…`;
}
