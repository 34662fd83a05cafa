/** LineIndex: where some lines of a log begin, so that any line is found by reading little, and a long log costs little memory. */

/** About one line is kept for each of these bytes of log. */
export const indexStrideBytes = 64 * 1024;

export interface LineStart {
  readonly seq: number;
  /** Byte offset in the log. */
  readonly offset: number;
}

export class LineIndex {
  /** Ascending; the first line of the log is always there. */
  readonly #starts: LineStart[] = [{ seq: 0, offset: 0 }];

  /** Called for every line, in log order. */
  note(seq: number, offset: number): void {
    const last = this.#starts.at(-1);
    if (last === undefined || offset - last.offset >= indexStrideBytes) this.#starts.push({ seq, offset });
  }

  /** The nearest line at or before `seq` that is kept. */
  before(seq: number): LineStart {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle]?.seq ?? Infinity) <= seq) low = middle;
      else high = middle;
    }
    return this.#starts[low] ?? { seq: 0, offset: 0 };
  }
}
