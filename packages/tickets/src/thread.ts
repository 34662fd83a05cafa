/** parseThread: the events of a thread.md, whoever wrote it and however it was merged; any text is read, and what is wrong in it is said. */
import { endOf, type EventEnd, looksLikeHeader } from "./event-header.ts";
import type { FormatProblem } from "./format-problem.ts";
import { isBlank, splitLines, trimBlank } from "./lines.ts";
import { LineIndex, lineSumsOf } from "./rebuild.ts";
import { headingOf, lineSumOf } from "./render-event.ts";
import { bodyOf, endIn, isSealed, type Section, sectionsOf } from "./sections.ts";
import { isTicketId } from "./ticket-id.ts";
import type { TicketEvent } from "./ticket.ts";

export interface ParsedEvent {
  readonly event: TicketEvent;
  /** Of its header, from 1. */
  readonly line: number;
  /**
   * Whether this is what was written. none: an older tool wrote it, without a sum. woven: it is, and its lines stand between those of others.
   * changed: the body, or the header, is another one; of a body that a merge tore the lines are given that are known to be its own.
   */
  readonly sum: "none" | "good" | "woven" | "changed";
}

export interface ParsedThread {
  /** What stands before the first event, without blank lines around. */
  readonly preamble: string;
  /** In the order of their headers; one that stands there twice, word for word, once. */
  readonly events: readonly ParsedEvent[];
  /** In the order of lines. */
  readonly problems: readonly FormatProblem[];
}

/** Never throws; takes time in proportion to the text. */
export function parseThread(text: string): ParsedThread {
  const lines = splitLines(text.startsWith("\ufeff") ? text.slice(1) : text);
  const problems: FormatProblem[] = [];
  const { preamble, sections } = sectionsOf(lines, problems);
  const events = new ThreadReader(lines, sections, problems).events();
  problems.sort((a, b) => a.line - b.line);
  return { preamble: trimBlank(preamble).join("\n"), events, problems };
}

/** What a section says by itself. */
interface Read {
  readonly body: string;
  /** woven is told only with the whole thread at hand. */
  readonly sum: Exclude<ParsedEvent["sum"], "woven">;
  /** How many of the section's lines are the event's. */
  readonly taken: number;
}

class ThreadReader {
  readonly #lines: readonly string[];
  readonly #sections: readonly Section[];
  readonly #problems: FormatProblem[];
  /** By id. */
  readonly #ends = new Map<string, EventEnd>();
  /** Made when the first event is found whose lines do not stand together. */
  #index: LineIndex | null = null;

  constructor(lines: readonly string[], sections: readonly Section[], problems: FormatProblem[]) {
    this.#lines = lines;
    this.#sections = sections;
    this.#problems = problems;
    for (const { ends } of sections)
      for (const [id, { end }] of ends) if (!this.#ends.has(id)) this.#ends.set(id, end);
  }

  events(): readonly ParsedEvent[] {
    const read = this.#sections.map(readAlone);
    const events: ParsedEvent[] = [];
    for (const [first, ...copies] of this.#byHeader()) {
      if (first === undefined) continue;
      const whole = [first, ...copies].find((at) => read[at]?.sum === "good") ?? first;
      const parsed = this.#parsed(whole, first, read);
      if (parsed !== null) events.push(parsed);
      for (const copy of copies)
        this.#say("event_repeated", copy, `this event stands at line ${this.#lineOf(first)} already`);
    }
    this.#sayDuplicates(events);
    this.#sayOutside(read);
    return events;
  }

  /** Places of sections, those with the same header together. */
  #byHeader(): Iterable<readonly number[]> {
    const places = new Map<string, number[]>();
    for (const [at, { header, text }] of this.#sections.entries()) {
      // What older tools wrote has nothing to tell two of the same second apart.
      const key = header.sum === null ? `${at}` : text;
      const same = places.get(key);
      if (same === undefined) places.set(key, [at]);
      else same.push(at);
    }
    return places.values();
  }

  #parsed(at: number, first: number, read: Read[]): ParsedEvent | null {
    const section = this.#sections[at];
    const alone = read[at];
    if (section === undefined || alone === undefined) return null;
    const { header } = section;
    const line = this.#lineOf(first);
    const end = this.#ends.get(header.id ?? "");
    const named = header.id !== null && isTicketId(header.id) ? header.id : null;
    if (header.id !== null && named === null) this.#say("event_id", first, noId(header.id));
    const id = named ?? `@${first + 1}`;
    if (header.sum !== null && end === undefined)
      this.#say(
        "event_unended",
        first,
        `the line that ends this event, <!-- end: ${header.id} ... -->, is missing`,
      );
    const event = (body: string): TicketEvent => ({ id, ...header.event, body });
    if (alone.sum !== "changed") return { event: event(alone.body), line, sum: alone.sum };
    const body = end === undefined ? null : this.#wovenBody(section, end);
    if (body === null) {
      const left = alone.taken === 0 ? ownLines(section, end) : alone.body;
      return { event: event(left), line, sum: "changed" };
    }
    // Nothing of the section is the event's for standing there.
    read[at] = { ...alone, taken: 0 };
    this.#say("event_woven", first, "a merge put the lines of this event between those of others");
    return { event: event(body), line, sum: "woven" };
  }

  #wovenBody(section: Section, { lineSums }: EventEnd): string | null {
    this.#index ??= new LineIndex(this.#lines);
    const lines = this.#index.rebuilt(lineSums);
    if (lines === null) return null;
    const body = bodyOf(section.header, behindHeading(section, lines));
    return isSealed(section, body) ? body : null;
  }

  #sayDuplicates(events: readonly ParsedEvent[]): void {
    const lines = new Map<string, number>();
    for (const { event, line } of events) {
      const first = lines.get(event.id);
      if (first === undefined) lines.set(event.id, line);
      else {
        const message = `another event has the id ${JSON.stringify(event.id)} already, at line ${first}`;
        this.#problems.push({ check: "event_duplicate", line, message });
      }
    }
  }

  /** Lines that are no event's: not taken where they stand, and not named by the end of any. */
  #sayOutside(read: readonly Read[]): void {
    let known: ((line: string) => boolean) | null = null;
    for (const [at, { lines, line }] of this.#sections.entries()) {
      const taken = read[at]?.taken ?? 0;
      const first = lines.findIndex((text, index) => {
        if (index < taken || isBlank(text) || endOf(text) !== null) return false;
        known ??= this.#knownLines();
        return !known(text);
      });
      // What begins like a header has been said to be none.
      if (first === -1 || looksLikeHeader(lines[first] ?? "")) continue;
      this.#problems.push({
        check: "text_outside_event",
        line: line + first + 2,
        message: "this text belongs to no event: nobody is on record for it",
      });
    }
  }

  #knownLines(): (line: string) => boolean {
    const headings = new Set(this.#sections.map(({ header }) => headingOf(header.event)));
    const sums = new Set<string>();
    for (const { header } of this.#sections)
      for (const sum of lineSumsOf(this.#ends.get(header.id ?? "")?.lineSums ?? "")) sums.add(sum);
    return (line) => headings.has(line) || sums.has(lineSumOf(line));
  }

  #say(check: FormatProblem["check"], at: number, message: string): void {
    this.#problems.push({ check, line: this.#lineOf(at), message });
  }

  #lineOf(at: number): number {
    return (this.#sections[at]?.line ?? 0) + 1;
  }
}

/** It is read as one without an id. */
function noId(id: string): string {
  const shown = JSON.stringify(id.length > 40 ? `${id.slice(0, 39)}…` : id);
  return /^[0-9A-HJKMNP-TV-Z]{13}$/.test(id)
    ? `the time that the id ${shown} of this event says is later than any`
    : `${shown} is not the id of an event: 13 characters, as a ticket's`;
}

function readAlone(section: Section): Read {
  const { header, lines, ends } = section;
  const end = endIn(section);
  const taken = end === -1 ? lines.length : end + 1;
  const body = bodyOf(header, end === -1 ? lines : lines.slice(0, end));
  if (header.sum === null) return { body, sum: "none", taken };
  if (isSealed(section, body)) return { body, sum: "good", taken };
  // With the end of another in it, lines of another may be in it too.
  const isAlone = end !== -1 && ends.size === 1;
  return isAlone ? { body, sum: "changed", taken } : { body: "", sum: "changed", taken: 0 };
}

/** What is left in its place of a body that cannot be put together. */
function ownLines(section: Section, end: EventEnd | undefined): string {
  const own = new Set(lineSumsOf(end?.lineSums ?? ""));
  const left = section.lines.filter((line) => own.has(lineSumOf(line)));
  return bodyOf(section.header, behindHeading(section, left));
}

/** So that a body that begins like its heading keeps that line. */
function behindHeading({ header }: Section, lines: readonly string[]): readonly string[] {
  return [headingOf(header.event), ...lines];
}
