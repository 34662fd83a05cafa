/** The composer and what can be done to it. Every edit gives another composer; none fails. */
import { nextCell, previousCell } from "./cells.ts";
import { isLongPaste, plainText, signsIn } from "./chip.ts";
import { droppedPicture } from "./dropped-picture.ts";
import { type History, recalled } from "./history.ts";
import { killed, yanked, yankedOlder } from "./kill.ts";
import { offsetAt, placeOf, rowsOf } from "./layout.ts";
import { type Motion, targetOf } from "./motions.ts";
import {
  asChip,
  type Composer,
  draftOf,
  emptyComposer,
  momentOf,
  moved,
  otherEdit,
  spliced,
} from "./state.ts";
import { typedRef } from "./parts.ts";

export type { Composer, Draft } from "./state.ts";
export { composerOfParts, partsOf } from "./parts.ts";
export { composerOf, emptyComposer, isBlank, textOf } from "./state.ts";

export type ComposerEdit =
  /** As it is typed. */
  | { readonly type: "insert"; readonly text: string }
  /** A long one becomes a chip, and the path of a picture a reference to it. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "newline" }
  /** A backslash before the cursor becomes a line end. */
  | { readonly type: "continue_line" }
  | { readonly type: "backspace" | "delete" }
  | { readonly type: "move" | "kill"; readonly to: Motion }
  /** By rows of `columns`; from the first and the last one to the history. */
  | { readonly type: "up" | "down"; readonly columns: number; readonly history: History }
  | { readonly type: "history_previous" | "history_next"; readonly history: History }
  | { readonly type: "yank" | "yank_older" | "undo" | "redo" }
  /** Other text between two places, as a completion does it. */
  | { readonly type: "replace"; readonly from: number; readonly to: number; readonly text: string }
  /** A reference to a file between two places, and a space where no more of its path is to come. */
  | {
      readonly type: "file_ref";
      readonly from: number;
      readonly to: number;
      readonly path: string;
      readonly goesOn: boolean;
    }
  /** All of it, as an editor gives it. */
  | { readonly type: "set"; readonly text: string }
  /** It was sent, or is given up: undo brings it back, and what was killed stays. */
  | { readonly type: "clear" };

export function edit(composer: Composer, what: ComposerEdit): Composer {
  const { text, cursor } = composer;
  switch (what.type) {
    case "insert":
      return typed(composer, plainText(what.text));
    case "paste":
      return pasted(composer, plainText(what.text));
    case "newline":
      return spliced(composer, { from: cursor, to: cursor, text: "\n" });
    case "continue_line":
      return continuesLine(composer)
        ? spliced(composer, { from: cursor - 1, to: cursor, text: "\n" })
        : composer;
    case "backspace":
      return spliced(composer, { from: previousCell(text, cursor), to: cursor, text: "" });
    case "delete":
      return spliced(composer, { from: cursor, to: nextCell(text, cursor), text: "" });
    case "move":
      return moved(composer, targetOf(composer, what.to));
    case "kill":
      return killed(composer, what.to);
    case "up":
      return vertical(composer, -1, what);
    case "down":
      return vertical(composer, 1, what);
    case "history_previous":
      return recalled(composer, what.history, -1);
    case "history_next":
      return recalled(composer, what.history, 1);
    case "yank":
      return yanked(composer);
    case "yank_older":
      return yankedOlder(composer);
    case "undo":
      return undone(composer);
    case "redo":
      return redone(composer);
    case "replace":
      return spliced(composer, { from: what.from, to: what.to, text: plainText(what.text) });
    case "file_ref":
      return referred(composer, what);
    case "set":
      return set(composer, what.text);
    case "clear":
      return cleared(composer);
  }
}

/** Enter makes a new line of the backslash before the cursor, at the end of its line. */
export function continuesLine({ text, cursor }: Composer): boolean {
  return text[cursor - 1] === "\\" && (cursor === text.length || text[cursor] === "\n");
}

/** Undo takes back a word of what was typed, with the space behind it. */
function typed(composer: Composer, put: string): Composer {
  const { text, cursor, last } = composer;
  const beginsWord = /\s$/.test(text.slice(0, cursor)) && !/^\s/.test(put);
  const joins = last.kind === "typing" && !beginsWord && composer.past.length > 0;
  return spliced(composer, { from: cursor, to: cursor, text: put, last: { kind: "typing" }, joins });
}

function pasted(composer: Composer, put: string): Composer {
  const { cursor, text } = composer;
  const picture = cursor === 0 || /\s$/.test(text.slice(0, cursor)) ? droppedPicture(put) : null;
  if (picture !== null) return referred(composer, { from: cursor, to: cursor, path: picture, goesOn: false });
  if (!isLongPaste(put)) return spliced(composer, { from: cursor, to: cursor, text: put });
  const { chips, sign } = asChip(composer.chips, { kind: "paste", text: put });
  return spliced({ ...composer, chips }, { from: cursor, to: cursor, text: sign });
}

function vertical(
  composer: Composer,
  step: -1 | 1,
  { columns, history }: { readonly columns: number; readonly history: History },
): Composer {
  const rows = rowsOf(composer.text, composer.chips, columns);
  const place = placeOf(rows, composer.cursor);
  const column = composer.last.kind === "vertical" ? composer.last.column : place.column;
  const row = rows[place.row + step];
  if (row !== undefined) return moved(composer, offsetAt(row, column), { kind: "vertical", column });
  const other = recalled(composer, history, step);
  if (other !== composer) return other;
  return moved(composer, step === -1 ? 0 : composer.text.length);
}

function undone(composer: Composer): Composer {
  const before = composer.past.at(-1);
  if (before === undefined) return composer;
  const { past, future } = composer;
  return {
    ...composer,
    ...before,
    past: past.slice(0, -1),
    future: [...future, momentOf(composer)],
    last: otherEdit,
  };
}

function redone(composer: Composer): Composer {
  const after = composer.future.at(-1);
  if (after === undefined) return composer;
  const { past, future } = composer;
  return {
    ...composer,
    ...after,
    past: [...past, momentOf(composer)],
    future: future.slice(0, -1),
    last: otherEdit,
  };
}

interface Reference {
  readonly from: number;
  readonly to: number;
  readonly path: string;
  readonly goesOn: boolean;
}

function referred(composer: Composer, { from, to, path, goesOn }: Reference): Composer {
  const typedText = typedRef(plainText(path));
  if (typedText === null) {
    const { chips, sign } = asChip(composer.chips, { kind: "file_ref", path });
    return spliced({ ...composer, chips }, { from, to, text: sign });
  }
  const isSpaced = composer.text[to] === " ";
  const next = spliced(composer, { from, to, text: goesOn || isSpaced ? typedText : `${typedText} ` });
  if (!goesOn && isSpaced) return moved(next, next.cursor + 1);
  // What is typed on belongs before the closing quotation mark.
  return goesOn && typedText.endsWith('"') ? moved(next, next.cursor - 1) : next;
}

function set(composer: Composer, text: string): Composer {
  const draft = draftOf(text);
  const [sign] = signsIn(draft.text);
  const chip = sign === undefined ? undefined : draft.chips.get(sign);
  const placed =
    chip === undefined ? { chips: composer.chips, sign: draft.text } : asChip(composer.chips, chip);
  return spliced(
    { ...composer, chips: placed.chips },
    { from: 0, to: composer.text.length, text: placed.sign },
  );
}

/** Undo reaches back to the text that was cleared and no further, so that what was sent is not kept for ever. */
function cleared(composer: Composer): Composer {
  const { kills, text, chips } = composer;
  const past = text === "" ? [] : [momentOf(composer)];
  const used = new Set([text, ...kills].flatMap(signsIn));
  const kept = new Map([...chips].filter(([sign]) => used.has(sign)));
  return { ...emptyComposer, chips: kept, past, kills };
}
