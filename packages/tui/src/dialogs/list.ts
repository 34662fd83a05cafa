/** ListState: a list that is narrowed by typing and of which one row is chosen. */

export interface ListState {
  readonly filter: string;
  /** Of the rows that the filter leaves, from 0; may lie behind them when rows go away. */
  readonly selected: number;
}

export const emptyList: ListState = { filter: "", selected: 0 };

/** Rows that hold every word of the filter, in the order in which they were. */
export function filtered<T>(rows: readonly T[], filter: string, textOf: (row: T) => string): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The chosen place among so many rows; -1: there is none. */
export function chosenAt(list: ListState, count: number): number {
  return Math.min(list.selected, count - 1);
}

/** By so many rows; from the ends it goes on at the other one where it moves by one. */
export function moved(list: ListState, count: number, by: number): ListState {
  if (count === 0) return { ...list, selected: 0 };
  const at = chosenAt(list, count);
  const to = at + by;
  if (Math.abs(by) === 1) return { ...list, selected: (to + count) % count };
  return { ...list, selected: Math.max(0, Math.min(count - 1, to)) };
}

export function typedInto(list: ListState, text: string): ListState {
  return { filter: list.filter + text, selected: 0 };
}

/** The first row that is shown where `rows` of `count` have room and the chosen one is to be among them. */
export function firstShown(selected: number, count: number, rows: number): number {
  if (count <= rows) return 0;
  return Math.max(0, Math.min(count - rows, selected - Math.floor(rows / 2)));
}
