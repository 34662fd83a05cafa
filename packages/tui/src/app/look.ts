/** Look: the theme, and the rows of blocks, each made once for as long as neither the block nor the screen changes. */
import { blockLines } from "../view/block/block-lines.ts";
import type { Block } from "../session/block.ts";
import { hasHighlighter } from "../view/highlight.ts";
import type { Line } from "../view/line.ts";
import type { Theme } from "../view/theme.ts";

export interface Look {
  readonly theme: Theme;
  readonly linesOf: (block: Block, columns: number, isExpanded: boolean) => readonly Line[];
}

interface Made {
  readonly columns: number;
  /** Code has colours since its languages were there. */
  readonly isHighlighted: boolean;
  readonly lines: readonly Line[];
}

/** @param draw for tests, which count. */
export function lookOf(theme: Theme, draw: typeof blockLines = blockLines): Look {
  // A block that changes is another object: a folded block is unequal to what it was before.
  const made = { folded: new WeakMap<Block, Made>(), expanded: new WeakMap<Block, Made>() };
  return {
    theme,
    linesOf: (block, columns, isExpanded) => {
      const known = isExpanded ? made.expanded : made.folded;
      const found = known.get(block);
      const isHighlighted = hasHighlighter();
      if (found?.columns === columns && found.isHighlighted === isHighlighted) return found.lines;
      const lines = draw(block, { columns, theme, isExpanded });
      known.set(block, { columns, isHighlighted, lines });
      return lines;
    },
  };
}
