/** Composer: what a person is writing, as a value. Nothing in it is about a screen. */
import { cellBoundary } from "./cells.ts";
import {
  type Chip,
  type Chips,
  chipText,
  noChips,
  plainText,
  signsIn,
  splitAtSigns,
  withChip,
} from "./chip.ts";

/** What undo goes back to. */
export interface Moment {
  readonly text: string;
  readonly cursor: number;
}

/** What the last edit was, where the next one of its kind goes on with it. */
export type LastEdit =
  | { readonly kind: "other" }
  | { readonly kind: "typing" }
  | { readonly kind: "kill" }
  /** From where the killed text was put, and the how manieth newest it is. */
  | { readonly kind: "yank"; readonly from: number; readonly nth: number }
  /** The column that up and down keep to. */
  | { readonly kind: "vertical"; readonly column: number };

/** A text with its chips: an entry of the history, or what was written before one was chosen. */
export interface Draft {
  readonly text: string;
  readonly chips: Chips;
}

/** Which entry of the history is shown; what was written instead of entries stays by their index. */
export interface Browsing {
  readonly at: number;
  readonly drafts: ReadonlyMap<number, Draft>;
}

export interface Composer {
  /** Well-formed with LF as line ends, but for the signs of chips. */
  readonly text: string;
  /** Offset in `text`, between two cells. */
  readonly cursor: number;
  readonly chips: Chips;
  /** Oldest first. */
  readonly past: readonly Moment[];
  /** What was undone, the first one last. */
  readonly future: readonly Moment[];
  /** What was killed, newest last. */
  readonly kills: readonly string[];
  readonly last: LastEdit;
  readonly browsing: Browsing | null;
}

export const otherEdit: LastEdit = { kind: "other" };

export const emptyComposer: Composer = {
  text: "",
  cursor: 0,
  chips: noChips,
  past: [],
  future: [],
  kills: [],
  last: otherEdit,
  browsing: null,
};

/** A longer text is one chip: nobody edits it in a few rows. */
export const inlineCharsMax = 20_000;

/** With the cursor at its end. */
export function composerOf(text: string): Composer {
  return composerOfDraft(draftOf(text));
}

export function draftOf(text: string): Draft {
  const plain = plainText(text);
  const { chips, sign } =
    plain.length > inlineCharsMax
      ? asChip(noChips, { kind: "paste", text: plain })
      : { chips: noChips, sign: plain };
  return { text: sign, chips };
}

export function composerOfDraft({ text, chips }: Draft): Composer {
  return { ...emptyComposer, text, cursor: text.length, chips };
}

/** Text where no chip can be added. */
export function asChip(chips: Chips, chip: Chip): { readonly chips: Chips; readonly sign: string } {
  return withChip(chips, chip) ?? { chips, sign: chipText(chip) };
}

/** Nothing but white space is there. */
export function isBlank({ text }: Composer): boolean {
  return !/\S/.test(text);
}

/** What is written, chips as the text that they stand for. */
export function textOf({ text, chips }: Draft): string {
  return splitAtSigns(text)
    .map((piece) => textOfPiece(piece, chips))
    .join("");
}

function textOfPiece(piece: string, chips: Chips): string {
  const chip = chips.get(piece);
  return chip === undefined ? piece : chipText(chip);
}

export function draftIn({ text, chips }: Composer): Draft {
  const own = signsIn(text).flatMap((sign) => {
    const chip = chips.get(sign);
    return chip === undefined ? [] : [[sign, chip] as const];
  });
  return { text, chips: new Map(own) };
}

/** The draft's text with signs of this composer for its chips. */
export function adopted(composer: Composer, draft: Draft): Draft {
  let { chips } = composer;
  const pieces = splitAtSigns(draft.text).map((piece) => {
    const chip = draft.chips.get(piece);
    if (chip === undefined || chips.get(piece) === chip) return piece;
    const placed = asChip(chips, chip);
    chips = placed.chips;
    return placed.sign;
  });
  return { text: pieces.join(""), chips };
}

/** Undo goes back so far. */
export const momentsMax = 200;

export interface Splice {
  readonly from: number;
  readonly to: number;
  /** As `plainText` gives it, or with signs of the composer. */
  readonly text: string;
  readonly last?: LastEdit;
  /** It goes on with the edit before it: undo takes both back. */
  readonly joins?: boolean;
}

/** Other text between two places, the cursor behind it. What was undone cannot be redone any more. */
export function spliced(composer: Composer, splice: Splice): Composer {
  const { from, to, text: put, last = otherEdit, joins = false } = splice;
  const text = composer.text.slice(0, from) + put + composer.text.slice(to);
  if (text === composer.text) return { ...composer, cursor: cellBoundary(text, from + put.length), last };
  const past = joins ? composer.past : [...composer.past.slice(1 - momentsMax), momentOf(composer)];
  return { ...composer, text, cursor: cellBoundary(text, from + put.length), past, future: [], last };
}

export function momentOf({ text, cursor }: Composer): Moment {
  return { text, cursor };
}

export function moved(composer: Composer, cursor: number, last: LastEdit = otherEdit): Composer {
  return { ...composer, cursor, last };
}
