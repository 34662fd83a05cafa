/** Tickets and events as text for the model. What others wrote stands on lines of its own behind two spaces, or on one line: none of it can pass for what the tool says. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { shownBlock, shownLine } from "../shown-line.ts";

/** UTF-16 units of a title in a summary. */
const titleCharsMax = 120;
/** UTF-16 units of any other value on a line. */
const valueCharsMax = 1_024;

export function titleLine(value: JsonValue | undefined): string {
  return shownLine(wordOf(value), titleCharsMax);
}

/** `0001... implementation_report by rev (reviewer) at 2026-...: request_changes`, with its body below. */
export function eventText(event: JsonObject, where: string): string {
  const { id, kind, author, role, at, body, body_bytes: bytes } = event;
  const who = `${line(author)}${typeof role === "string" ? ` (${line(role)})` : ""}`;
  const when = wordOf(at) === "" ? "" : ` at ${line(at)}`;
  const head = `${line(id)} ${line(kind)} by ${who}${when}${changeOf(event)}`;
  const text = wordOf(body);
  const cut = bytes === undefined ? "" : `\n(cut: it has ${line(bytes)} bytes, ${where})`;
  return `${head}${text === "" ? "" : `\n${shownBlock(text)}`}${cut}`;
}

function changeOf({ status, from, to, relation, target, reason }: JsonObject): string {
  const parts = [
    status === undefined ? "" : line(status),
    from === undefined && to === undefined
      ? ""
      : `${from === undefined ? "" : `${line(from)} `}to ${line(to)}`,
    relation === undefined ? "" : `${line(relation)} ${line(target)}`,
    reason === undefined ? "" : `because: ${line(reason)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `: ${parts.join(", ")}`;
}

export function listText(answer: JsonObject): { readonly summary: string; readonly content?: string } {
  const [tickets, problems] = [listOf(answer["tickets"]), stringsOf(answer["problems"])];
  const left = Number(answer["left_out"] ?? 0);
  const all = tickets.length + left;
  const lines = [
    ...tickets.map(summaryText),
    ...problems.map((problem) => `Not readable: ${shownLine(problem, valueCharsMax)}`),
  ];
  const rest = left === 0 ? "" : `, of which ${left} had no room: name fewer states`;
  const damaged = problems.length === 0 ? "" : ` Some folders cannot be read as tickets.`;
  return {
    summary: `${all} ${all === 1 ? "ticket" : "tickets"}${rest}.${damaged}`,
    ...(lines.length === 0 ? {} : { content: lines.join("\n") }),
  };
}

function summaryText(ticket: JsonObject): string {
  const { id, state, title, review, blocked_by: blockers, fields } = ticket;
  const blocked = stringsOf(blockers);
  return [
    `${line(id)} ${line(state)}`,
    ...(blocked.length === 0 ? [] : [`blocked by ${blocked.map(line).join(" ")}`]),
    ...(typeof review === "string" ? [`review ${line(review)}`] : []),
    ...fieldsOf(fields),
    shownLine(wordOf(title), valueCharsMax),
  ].join(" | ");
}

export function ticketText(ticket: JsonObject): { readonly summary: string; readonly content: string } {
  const { id, title, state, review, created_at: created, updated_at: updated, resolution } = ticket;
  const { related_from: others } = ticket;
  const where = `.yoi/tickets/${line(id)}`;
  const [events, earlier, later] = [
    listOf(ticket["events"]),
    count(ticket["earlier"]),
    count(ticket["later"]),
  ];
  const blocked = stringsOf(ticket["blocked_by"]);
  const cut = (bytes: JsonValue | undefined, file: string) =>
    bytes === undefined ? [] : [`(cut: it has ${line(bytes)} bytes, ${where}/${file})`];
  const block = (name: string, text: string, more: readonly string[]) =>
    text === "" ? [] : [`${name}:`, shownBlock(text), ...more];
  const content = [
    `ticket ${line(id)}`,
    `title: ${shownLine(wordOf(title), valueCharsMax)}`,
    `state: ${line(state)}${typeof review === "string" ? `, review ${line(review)}` : ""}`,
    `created ${line(created)}, changed ${line(updated)}`,
    ...(blocked.length === 0 ? [] : [`blocked by ${blocked.map(line).join(" ")}`]),
    ...fieldsOf(ticket["fields"]),
    ...listOf(ticket["relations"]).map((one) => `${line(one["relation"])} ${line(one["target"])}`),
    ...listOf(others).map((one) => `from ${line(one["target"])}: ${line(one["relation"])}`),
    ...leftOut(count(ticket["relations_left_out"]), "relations"),
    ...stringsOf(ticket["artifacts"]).map((path) => `artifact ${where}/artifacts/${line(path)}`),
    ...leftOut(count(ticket["artifacts_left_out"]), "artifacts"),
    ...block("body", wordOf(ticket["body"]), cut(ticket["body_bytes"], "item.md")),
    ...block("resolution", wordOf(resolution), cut(ticket["resolution_bytes"], "resolution.md")),
    `events${earlier === 0 ? "" : ` (${earlier} earlier ones are left out)`}:`,
    ...events.map((event) => eventText(event, `${where}/thread.md`)),
    ...(later === 0 ? [] : [`(${later} later ones: ask with events_after ${line(events.at(-1)?.["id"])})`]),
  ].join("\n");
  const shown = `${events.length} ${events.length === 1 ? "event" : "events"}`;
  return { summary: `Ticket ${line(id)} is ${line(state)}: ${titleLine(title)} (${shown} shown)`, content };
}

function leftOut(many: number, what: string): readonly string[] {
  return many === 0 ? [] : [`(and ${many} more ${what})`];
}

/** Values of the front matter, a line each. */
function fieldsOf(fields: JsonValue | undefined): readonly string[] {
  const named = isJsonObject(fields) ? Object.entries(fields) : [];
  return named.map(([name, value]) => {
    const words = Array.isArray(value) ? value.map(wordOf).join(", ") : wordOf(value);
    return `${shownLine(name, titleCharsMax)}: ${shownLine(words, valueCharsMax)}`;
  });
}

/** On one line. */
function line(value: JsonValue | undefined): string {
  return shownLine(wordOf(value), valueCharsMax);
}

function wordOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

function count(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
