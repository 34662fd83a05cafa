/** parseThread: the events of a thread.md, whoever wrote it; any text is read, and what is wrong in it is said. */
import { endOf, type EventHeader, looksLikeHeader, parseHeader, unescapeLine } from "./event-header.ts";
import type { FormatProblem } from "./format-problem.ts";
import { isBlank, splitLines, trimBlank } from "./lines.ts";
import { headingOf, plainHeadingOf, sumOf } from "./render-event.ts";
import type { TicketEvent } from "./ticket.ts";
import { triedCharsMax, type Tries, untangle } from "./untangle.ts";

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
  const events = readEvents(sections, problems);
  addDuplicates(events, problems);
  problems.sort((a, b) => a.line - b.line);
  return { preamble: trimBlank(preamble).join("\n"), events, problems };
}

function readEvents(sections: readonly Section[], problems: FormatProblem[]): ParsedEvent[] {
  const tries: Tries = { charsLeft: triedCharsMax };
  /** Of a section that was read with the one before it. */
  let woven: readonly string[] | null = null;
  return sections.map((section, index) => {
    const { header, line } = section;
    const end = endIn(section, header);
    const next = sections[index + 1];
    const both = end === -1 && woven === null && next ? untangled(section, next, tries) : null;
    const lines = woven ?? both?.first ?? (end === -1 ? section.lines : section.lines.slice(0, end));
    woven = both?.second ?? null;
    if (end !== -1) addOutside(section, end + 1, problems);
    const body = bodyOf(header, lines);
    const sum = header.sum === null ? "none" : sumOf(body) === header.sum ? "good" : "changed";
    return { event: { id: header.id ?? `@${index + 1}`, ...header.event, body }, line: line + 1, sum };
  });
}

/** Where the end of an event stands in a section: -1 where there is none. */
function endIn({ lines }: Section, { id }: EventHeader): number {
  return id === null ? -1 : lines.findIndex((line) => endOf(line) === id);
}

function untangled(first: Section, second: Section, tries: Tries): ReturnType<typeof untangle> {
  const middle = endIn(second, first.header);
  const tail = endIn(second, second.header);
  if (middle === -1 || tail < middle) return null;
  const isBodyOf = (header: EventHeader) => (lines: readonly string[]) =>
    sumOf(bodyOf(header, lines)) === header.sum;
  const parts = {
    head: first.lines,
    middle: second.lines.slice(0, middle),
    tail: second.lines.slice(middle + 1, tail),
  };
  return untangle({ ...parts, isFirst: isBodyOf(first.header), isSecond: isBodyOf(second.header) }, tries);
}

function bodyOf(header: EventHeader, lines: readonly string[]): string {
  let body = trimBlank(lines);
  const [first] = body;
  if (first === headingOf(header.event) || first === plainHeadingOf(header.event)) body = body.slice(1);
  if (header.sum !== null) return trimBlank(body).map(unescapeLine).join("\n");
  // Older tools end an event with a rule, and write bodies as they are.
  if (body.at(-1) === "---") body = body.slice(0, -1);
  return trimBlank(body).join("\n");
}

function addOutside({ lines, line }: Section, from: number, problems: FormatProblem[]): void {
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
