/** Paging: which of many entries are shown, and the sentence that says what is not. */

/** Below the bound on every tool's output, so that the table never cuts what a search decided to show. */
export const shownBytesMax = 48 * 1024;

/** Takes entries in order and keeps those of one page: from `offset` on, until `limit` entries or the bytes are full; at least one. */
export class Page<Entry> {
  readonly #offset: number;
  readonly #limit: number;
  readonly #bytesOf: (entry: Entry) => number;
  readonly entries: Entry[] = [];
  #total = 0;
  #bytes = 0;
  #isFull = false;

  constructor(offset: number, limit: number, bytesOf: (entry: Entry) => number) {
    this.#offset = offset;
    this.#limit = limit;
    this.#bytesOf = bytesOf;
  }

  get total(): number {
    return this.#total;
  }

  /** `entry` is made only when it has a chance of being shown. */
  add(entry: () => Entry): void {
    this.#total += 1;
    if (this.#total <= this.#offset || this.#isFull) return;
    const made = entry();
    const bytes = this.#bytesOf(made);
    if (this.entries.length > 0 && this.#bytes + bytes > shownBytesMax) {
      this.#isFull = true;
      return;
    }
    this.#bytes += bytes;
    this.entries.push(made);
    if (this.entries.length === this.#limit) this.#isFull = true;
  }

  /** Entries that are not of interest one by one. */
  skip(count: number): void {
    this.#total += count;
  }

  get wantsMore(): boolean {
    return !this.#isFull;
  }

  /** Such as "251 to 500 of 730 files; go on with offset 500". `where` is said of all of them. */
  describe(one: string, many: string, where = ""): string {
    const [first, last, total] = [this.#offset + 1, this.#offset + this.entries.length, this.#total];
    const named = `${total} ${total === 1 ? one : many}${where}`;
    if (this.entries.length === 0)
      return total === 0 ? `no ${many}` : `none left from offset ${this.#offset} of ${named}`;
    if (first === 1 && last === total) return named;
    return `${first} to ${last} of ${named}${last < total ? `; go on with offset ${last}` : ", the last"}`;
  }
}
