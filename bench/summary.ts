/** Many numbers as three. */

export interface Summary {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function summary(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) throw new Error("nothing to summarise");
  const upper = sorted[Math.floor(sorted.length / 2)] ?? max;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? min;
  return { min, median: (lower + upper) / 2, max };
}
