/**
 * Two events that a merge wove into each other. Git's union driver puts what two branches appended one behind the other, but a run of more than
 * three equal lines it writes once: `first, second, run, rest of first, rest of second`. Their sums tell which lines were whose.
 */

export interface Tangle {
  /** Between the two headers: the first one's. */
  readonly head: readonly string[];
  /** From the second header to the first one's end: the second one's, then the run, then the first one's. */
  readonly middle: readonly string[];
  /** Between the two ends: the second one's. */
  readonly tail: readonly string[];
  /** Whether lines are the body that the header was written for. */
  readonly isFirst: (lines: readonly string[]) => boolean;
  readonly isSecond: (lines: readonly string[]) => boolean;
}

/** How many UTF-16 units may still be tried over one thread: trying is quadratic, and what is left over stays tangled. */
export interface Tries {
  charsLeft: number;
}

export const triedCharsMax = 4 * 1024 * 1024;

/** The lines of each; null: these were not woven in this way, or there are no tries left. */
export function untangle(tangle: Tangle, tries: Tries): { first: string[]; second: string[] } | null {
  const { head, middle, tail } = tangle;
  const chars = [...head, ...middle, ...tail].reduce((sum, line) => sum + line.length + 1, 0);
  const cost = chars * (middle.length + 1) * 2;
  if (cost > tries.charsLeft) return null;
  tries.charsLeft -= cost;
  const cuts = Array.from({ length: middle.length + 1 }, (_, cut) => cut);
  const from = cuts.find((cut) => tangle.isFirst([...head, ...middle.slice(cut)]));
  const to = cuts.findLast((cut) => tangle.isSecond([...middle.slice(0, cut), ...tail]));
  // A line between the two would be nobody's.
  if (from === undefined || to === undefined || to < from) return null;
  return { first: [...head, ...middle.slice(from)], second: [...middle.slice(0, to), ...tail] };
}
