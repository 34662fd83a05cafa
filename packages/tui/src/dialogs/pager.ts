/** What a pager pages through: sections of rows, made when they are looked at. */
import { updateSession } from "../session/update-session.ts";
import { emptySession } from "../session/empty-session.ts";
import type { Block } from "../session/block.ts";
import type { PlacedEntry } from "../app/event.ts";
import type { UiState } from "../app/state.ts";
import { commandSpecs } from "../commands/table.ts";
import { helpLines } from "../view/help.ts";
import type { Line } from "../view/line.ts";
import { safeText } from "../view/safe.ts";
import { wrap } from "../view/width.ts";
import type { PagerDialog, PagerPlace } from "./dialog.ts";

/** Rows that are not of the text: the title, the hint, and the status, which has up to two. */
const fixedRows = 4;

/** Rows of the text that are seen at once. */
export function pagerRows(screenRows: number): number {
  return Math.max(1, screenRows - fixedRows);
}

export interface Sections {
  readonly count: number;
  readonly linesAt: (section: number) => readonly Line[];
}

export function sectionsOf(dialog: PagerDialog, state: UiState): Sections {
  const { source } = dialog;
  const { columns } = state.size;
  switch (source.of) {
    case "text": {
      const lines = source.text.split("\n");
      return { count: lines.length, linesAt: (at) => wrap(safeText(lines[at] ?? ""), columns) };
    }
    case "help": {
      const lines = helpLines(state.keys, commandSpecs, { columns, theme: state.look.theme });
      return { count: 1, linesAt: () => lines };
    }
    case "transcript": {
      const blocks = [...olderBlocks(source.older, state), ...(state.open?.session.blocks ?? [])];
      return {
        count: blocks.length,
        linesAt: (at) => {
          const block = blocks[at];
          if (block === undefined) return [];
          const lines = state.look.linesOf(block, columns, true);
          return at === 0 ? lines : ["", ...lines];
        },
      };
    }
  }
}

const folded = new WeakMap<readonly PlacedEntry[], readonly Block[]>();

/** Those of entries before the session's, but for what the session has itself. */
function olderBlocks(older: readonly PlacedEntry[], { open }: UiState): readonly Block[] {
  if (older.length === 0 || open === null) return [];
  const found = folded.get(older) ?? foldedOf(older, open.name);
  folded.set(older, found);
  const known = new Set(open.session.blocks.map(({ id }) => id));
  return found.filter(({ id }) => !known.has(id));
}

function foldedOf(older: readonly PlacedEntry[], name: string): readonly Block[] {
  const blocks: Block[] = [];
  let session = emptySession(name);
  let segment: string | null = null;
  for (const { at, entry } of older) {
    if (at.segment !== segment) {
      for (const block of session.blocks) blocks.push(block);
      session = updateSession(emptySession(name), { type: "restarted", segment: at.segment }, 0);
      session = { ...session, blocks: [] };
      segment = at.segment;
    }
    const before = session.blocks;
    session = updateSession(session, { type: "entry", entry }, 0);
    // A session keeps the last ones alone.
    const gone = (session.blocks[0]?.n ?? 0) - (before[0]?.n ?? 0);
    for (const block of before.slice(0, Math.max(0, gone))) blocks.push(block);
  }
  return [...blocks, ...session.blocks];
}

/** So many rows on from a place, or back; at most to the first row, and to the last that fills the screen. */
export function scrolled(sections: Sections, from: PagerPlace, by: number, rows: number): PagerPlace {
  const to = by < 0 ? backFrom(sections, from, -by) : onFrom(sections, from, by);
  const last = endPlace(sections, rows);
  return isBehind(to, last) ? last : to;
}

/** From where the last rows fill the screen. */
export function endPlace(sections: Sections, rows: number): PagerPlace {
  return backFrom(sections, { section: sections.count, row: 0 }, rows);
}

export function isBehind(a: PagerPlace, b: PagerPlace): boolean {
  return a.section > b.section || (a.section === b.section && a.row > b.row);
}

function backFrom({ linesAt }: Sections, from: PagerPlace, by: number): PagerPlace {
  let { section, row } = from;
  let left = by;
  while (left > row && section > 0) {
    left -= row;
    section -= 1;
    row = linesAt(section).length;
  }
  return { section, row: Math.max(0, row - left) };
}

function onFrom({ count, linesAt }: Sections, from: PagerPlace, by: number): PagerPlace {
  let { section, row } = from;
  let left = by;
  while (section < count) {
    const length = linesAt(section).length;
    if (row + left < length) return { section, row: row + left };
    left -= length - row;
    section += 1;
    row = 0;
  }
  return { section: count, row: 0 };
}

/** The rows from a place on. */
export function rowsFrom({ count, linesAt }: Sections, from: PagerPlace, rows: number): readonly Line[] {
  const lines: Line[] = [];
  for (let section = from.section; section < count && lines.length < rows; section += 1)
    for (const line of linesAt(section).slice(section === from.section ? from.row : 0, from.row + rows))
      lines.push(line);
  return lines.slice(0, rows);
}

const sequences = /\u001b(?:\[[0-9;]*m|\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\))/g;

/** The next row that holds the text, behind the place or before it; null: none does. */
export function foundFrom(
  sections: Sections,
  from: PagerPlace,
  query: string,
  step: 1 | -1,
): PagerPlace | null {
  const wanted = query.toLowerCase();
  if (wanted === "") return null;
  for (let section = from.section; section >= 0 && section < sections.count; section += step) {
    const lines = sections.linesAt(section);
    const first = section === from.section ? from.row + step : step === 1 ? 0 : lines.length - 1;
    for (let row = first; row >= 0 && row < lines.length; row += step) {
      if ((lines[row] ?? "").replace(sequences, "").toLowerCase().includes(wanted)) return { section, row };
    }
  }
  return null;
}
