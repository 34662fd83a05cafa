/** renderEvent: the lines that an event is in a thread. */
import { createHash } from "node:crypto";
import { escapeControls } from "@yoi/base";
import { escapeLine, renderEnd, renderHeader, sealHeader } from "./event-header.ts";
import { normalizeBody } from "./lines.ts";
import type { TicketEvent } from "./ticket.ts";

const sumChars = 16;
/** Of 6 bits each. They are there to find lines again: that a body is the right one, the event's sum says. */
export const lineSumChars = 4;

/** What an event's header carries: the first 16 hexadecimal digits of the SHA-256 of the header itself, without this, and the body. */
export function sumOf(header: string, body: string): string {
  return createHash("sha256").update(`${header}\n${body}`).digest("hex").slice(0, sumChars);
}

/** @param line as it stands in the file. */
export function lineSumOf(line: string): string {
  return createHash("sha256").update(line).digest("base64url").slice(0, lineSumChars);
}

/**
 * Header, heading, body, end. What a merge puts in between can be told from it: header, heading and end are the event's alone, and the end knows each line of the
 * body. The body is written as `normalizeBody` has it.
 */
export function renderEvent(event: TicketEvent): string {
  const body = normalizeBody(event.body);
  const text = body === "" ? [] : body.split("\n").map(escapeLine);
  const header = renderHeader(event);
  const end = renderEnd({ id: event.id, lineSums: text.map(lineSumOf).join("") });
  const around = text.length === 0 ? [] : ["", ...text, ""];
  return `${[sealHeader(header, sumOf(header, body)), headingOf(event), ...around, end].join("\n")}\n`;
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
