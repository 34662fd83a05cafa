/** Markdown as rows. */
import type { Line } from "./line.ts";
import { safeText } from "./safe.ts";
import type { ViewOptions } from "./theme.ts";
import { wrap } from "./width.ts";

/** `text` as rows, its blocks apart where they are apart in it. Blank lines at its start show as one, those at its end as none. */
export function markdownLines(text: string, options: ViewOptions): readonly Line[] {
  return wrap(safeText(text), options.columns);
}

/**
 * How many characters from the start are blocks that no further text changes: `markdownLines` of them and of the rest, one after the other, are those of the whole,
 * whatever is added to it.
 */
export function closedChars(_text: string): number {
  return 0;
}
