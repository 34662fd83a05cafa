/** parseThread: the events of a thread.md, whoever wrote it; any text is read, and what is wrong in it is said. */
import { endOf, type EventHeader, looksLikeHeader, parseHeader, unescapeLine } from "./event-header.ts";
import type { FormatProblem } from "./format-problem.ts";
import { isBlank, splitLines, trimBlank } from "./lines.ts";
import { headingOf, plainHeadingOf, sumOf } from "./render-event.ts";
import type { TicketEvent } from "./ticket.ts";

export interface ParsedEvent {
  readonly event: TicketEvent;
  /** Of its header, from 1. */
  readonly line: number;
  /** Whether the body is the one that its header was written for. none: an older tool wrote it. */
  readonly sum: "none" | "good" | "changed";
}

export interface ParsedThread {
  /** What stands before the first event, without blank lines around. */
  readonly preamble: string;
  readonly events: readonly ParsedEvent[];
  /** In the order of lines. */
  readonly problems: readonly FormatProblem[];
}

/** A header and the lines behind it, up to the next header. */
interface Section {
  readonly header: EventHeader;
  /** Of the header, from 0. */
  readonly line: number;
  readonly lines: string[];
}

/** Never throws; takes time in proportion to the text. */
export function parseThread(text: string): ParsedThread {
  const problems: FormatProblem[] = [];
  const preamble: string[] = [];
  const sections: Section[] = [];
  splitLines(text).forEach((line, index) => {
    const header = looksLikeHeader(line) ? parseHeader(line) : null;
    if (header !== null && !("fault" in header)) {
      sections.push({ header, line: index, lines: [] });
      return;
    }
    if (header !== null) {
      problems.push({
        check: "event_malformed",
        line: index + 1,
        message: `this looks like the header of an event and is none: ${header.fault}`,
      });
    }
    (sections.at(-1)?.lines ?? preamble).push(line);
  });
  const events = sections.map((section, index) => readEvent(section, index, problems));
  addDuplicates(events, problems);
  problems.sort((a, b) => a.line - b.line);
  return { preamble: trimBlank(preamble).join("\n"), events, problems };
}

function readEvent(section: Section, index: number, problems: FormatProblem[]): ParsedEvent {
  const { header, lines, line } = section;
  const end = lines.findIndex((one) => header.id !== null && endOf(one) === header.id);
  if (end !== -1) addOutside(lines, end + 1, line, problems);
  const body = bodyOf(header, end === -1 ? withoutRule(lines) : lines.slice(0, end));
  const event = { id: header.id ?? `@${index + 1}`, ...header.event, body };
  const sum = header.sum === null ? "none" : sumOf(body) === header.sum ? "good" : "changed";
  return { event, line: line + 1, sum };
}

/** Older tools end an event with a rule. */
function withoutRule(lines: readonly string[]): readonly string[] {
  const trimmed = trimBlank(lines);
  return trimmed.at(-1) === "---" ? trimmed.slice(0, -1) : trimmed;
}

function bodyOf(header: EventHeader, lines: readonly string[]): string {
  const trimmed = trimBlank(lines);
  const first = trimmed[0];
  const headed = first === headingOf(header.event) || first === plainHeadingOf(header.event);
  const body = trimBlank(headed ? trimmed.slice(1) : trimmed);
  return (header.sum === null ? body : body.map(unescapeLine)).join("\n");
}

function addOutside(lines: readonly string[], from: number, line: number, problems: FormatProblem[]): void {
  const first = lines.findIndex((one, index) => index >= from && !isBlank(one));
  if (first === -1 || looksLikeHeader(lines[first] ?? "")) return;
  problems.push({
    check: "text_outside_event",
    line: line + first + 2,
    message: "this text belongs to no event: nobody is on record for it",
  });
}

function addDuplicates(events: readonly ParsedEvent[], problems: FormatProblem[]): void {
  const lines = new Map<string, number>();
  for (const { event, line } of events) {
    const first = lines.get(event.id);
    if (first === undefined) lines.set(event.id, line);
    else {
      problems.push({
        check: "event_duplicate",
        line,
        message: `the event ${JSON.stringify(event.id)} is there already, at line ${first}`,
      });
    }
  }
}
