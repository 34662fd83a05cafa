/** A thread as it stands: each header with the lines behind it, up to the next one. */
import {
  endOf,
  type EventEnd,
  type EventHeader,
  looksLikeHeader,
  parseHeader,
  unescapeLine,
  unsealHeader,
} from "./event-header.ts";
import type { FormatProblem } from "./format-problem.ts";
import { trimBlank } from "./lines.ts";
import { headingOf, plainHeadingOf, sumOf } from "./render-event.ts";

export interface Section {
  readonly header: EventHeader;
  /** The line that is the header, without blanks behind it. */
  readonly text: string;
  /** Of the header, from 0. */
  readonly line: number;
  /** Those behind it. */
  readonly lines: readonly string[];
  /** Where in `lines` events end, by their ids: the first place. */
  readonly ends: ReadonlyMap<string, { readonly index: number; readonly end: EventEnd }>;
}

export interface Sections {
  /** What stands before the first header. */
  readonly preamble: readonly string[];
  readonly sections: readonly Section[];
}

export function sectionsOf(lines: readonly string[], problems: FormatProblem[]): Sections {
  const preamble: string[] = [];
  const sections: (Section & { readonly lines: string[]; readonly ends: Map<string, EndPlace> })[] = [];
  lines.forEach((line, index) => {
    const header = looksLikeHeader(line) ? parseHeader(line) : null;
    if (header !== null && !("fault" in header)) {
      sections.push({ header, text: line.trimEnd(), line: index, lines: [], ends: new Map() });
      return;
    }
    if (header !== null) {
      problems.push({
        check: "event_malformed",
        line: index + 1,
        message: `this looks like the header of an event and is none: ${header.fault}`,
      });
    }
    const section = sections.at(-1);
    if (section === undefined) return preamble.push(line);
    const end = endOf(line);
    if (end !== null && !section.ends.has(end.id))
      section.ends.set(end.id, { index: section.lines.length, end });
    return section.lines.push(line);
  });
  return { preamble, sections };
}

interface EndPlace {
  readonly index: number;
  readonly end: EventEnd;
}

/** Where its event ends in it: -1 where that is not said there. */
export function endIn({ header, ends }: Section): number {
  return header.id === null ? -1 : (ends.get(header.id)?.index ?? -1);
}

/** The text in lines that stand behind a header, heading and blank lines around it taken away. */
export function bodyOf({ event, sum }: EventHeader, lines: readonly string[]): string {
  let body = trimBlank(lines);
  const [first] = body;
  if (first === headingOf(event) || first === plainHeadingOf(event)) body = body.slice(1);
  if (sum !== null) return trimBlank(body).map(unescapeLine).join("\n");
  // Older tools end an event with a rule, and write bodies as they are.
  if (body.at(-1) === "---") body = body.slice(0, -1);
  return trimBlank(body).join("\n");
}

/** Whether header and body are those that were written together. */
export function isSealed({ header, text }: Section, body: string): boolean {
  return header.sum === sumOf(unsealHeader(text), body);
}
