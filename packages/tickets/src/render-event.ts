/** renderEvent: the lines that an event is in a thread. */
import { createHash } from "node:crypto";
import { escapeControls } from "@yoi/base";
import { escapeLine, renderEnd, renderHeader } from "./event-header.ts";
import { normalizeBody } from "./lines.ts";
import type { TicketEvent } from "./ticket.ts";

const sumChars = 16;

/** What an event's header carries of its body: the first 16 hexadecimal digits of its SHA-256. */
export function sumOf(body: string): string {
  return createHash("sha256").update(body).digest("hex").slice(0, sumChars);
}

/**
 * Header, heading, body, end. The first line, the heading and the last line are the event's alone, so that `git merge` with the union driver puts
 * one event behind the other even where two bodies begin or end alike.
 * The body is written as `normalizeBody` has it.
 */
export function renderEvent(event: TicketEvent): string {
  const body = normalizeBody(event.body);
  const lines = [renderHeader(event, sumOf(body)), headingOf(event)];
  if (body !== "") lines.push("", ...body.split("\n").map(escapeLine), "");
  lines.push(renderEnd(event.id));
  return `${lines.join("\n")}\n`;
}

/** The thread with the event behind it, a blank line between. */
export function withEvent(thread: string, event: TicketEvent): string {
  if (thread === "") return renderEvent(event);
  return `${thread}${thread.endsWith("\n") ? "" : "\n"}\n${renderEvent(event)}`;
}

/** For who reads the file where comments are not shown: what, by whom, when. A function of the header alone. */
export function headingOf(event: Omit<TicketEvent, "id" | "body">): string {
  const by = event.author === "" ? "" : ` by ${shown(event.author)}`;
  const at = event.at === "" ? "" : `, ${shown(event.at)}`;
  return `## ${labelOf(event)}${by}${at}`;
}

/** The heading as older tools wrote it, without who and when. */
export function plainHeadingOf(event: Omit<TicketEvent, "id" | "body">): string {
  return `## ${plainLabelOf(event)}`;
}

function labelOf(event: Omit<TicketEvent, "id" | "body">): string {
  const label = plainLabelOf(event);
  if (event.kind === "state_changed" && event.from !== undefined && event.to !== undefined) {
    return `${label} from ${shown(event.from)} to ${shown(event.to)}`;
  }
  if (event.relation !== undefined && event.target !== undefined) {
    return `${label}: ${shown(event.relation)} ${shown(event.target)}`;
  }
  return label;
}

const labels: Readonly<Record<string, string>> = {
  create: "Created",
  close: "Closed",
  reopen: "Reopened",
  link: "Linked",
  unlink: "Unlinked",
  migration: "Migrated",
};

function plainLabelOf(event: Omit<TicketEvent, "id" | "body">): string {
  if (event.kind === "review" && event.status !== undefined) return `Review: ${words(event.status)}`;
  if (Object.hasOwn(labels, event.kind)) return labels[event.kind] ?? "";
  const label = words(event.kind);
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function words(name: string): string {
  return shown(name.replaceAll("_", " "));
}

/** Text that Markdown shows as it is. */
function shown(text: string): string {
  return escapeControls(text)
    .toWellFormed()
    .replace(/[\\`*[\]<>#|~&]/g, "\\$&");
}
