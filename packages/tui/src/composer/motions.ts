/** Where each motion leads from the cursor. */
import { lineEnd, lineStart, nextCell, previousCell, wordLeft, wordRight } from "./cells.ts";
import type { Composer } from "./state.ts";

export const motions = [
  "left",
  "right",
  "word_left",
  "word_right",
  "line_start",
  "line_end",
  "start",
  "end",
] as const;
export type Motion = (typeof motions)[number];

export function targetOf({ text, cursor }: Composer, motion: Motion): number {
  switch (motion) {
    case "left":
      return previousCell(text, cursor);
    case "right":
      return nextCell(text, cursor);
    case "word_left":
      return wordLeft(text, cursor);
    case "word_right":
      return wordRight(text, cursor);
    case "line_start":
      return lineStart(text, cursor);
    case "line_end":
      return lineEnd(text, cursor);
    case "start":
      return 0;
    case "end":
      return text.length;
  }
}
