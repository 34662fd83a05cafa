/** OldHistory: the history that is compacted, measured once: where it may be cut, what each end of it costs, what of it must go on. Pure. */
import type { CommittedItem, Item } from "@yoi/base";
import { cutPlaces, isAnswer, isAttached, mustKeepFrom, openCalls, ownItems } from "./history-parts.ts";
import { type KeptItem, keptItem } from "./kept-item.ts";
import { shortened } from "./shorten.ts";

/** Estimated tokens of a request with these items, system prompt and tools included: of none, those alone. */
export type SizeOf = (items: readonly Item[]) => number;

export class OldHistory {
  /** Without what an earlier compaction wrote. */
  readonly items: readonly CommittedItem[];
  /** The last answer and all behind it. */
  readonly mustKeep: number;
  /** Tokens of system prompt and tools. */
  readonly head: number;
  readonly #places: readonly number[];
  readonly #sizeOf: SizeOf;
  /** Tokens from each index to the end, as it is and without what tools gave. */
  readonly #whole: readonly number[];
  readonly #bare: readonly number[];
  readonly #bareItems: readonly KeptItem[];

  constructor(items: readonly CommittedItem[], sizeOf: SizeOf) {
    this.items = ownItems(items);
    this.#sizeOf = sizeOf;
    this.#places = cutPlaces(this.items);
    this.mustKeep = mustKeepFrom(this.items, this.#places);
    this.head = sizeOf([]);
    this.#whole = this.#sums(this.items);
    this.#bareItems = this.items.map(withoutBody);
    this.#bare = this.#sums(this.#bareItems);
  }

  #sums(items: readonly { readonly item: Item }[]): readonly number[] {
    const sums = Array.from({ length: items.length + 1 }, () => 0);
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const one = items[index];
      const cost = one === undefined ? 0 : this.#sizeOf([one.item]) - this.head;
      sums[index] = (sums[index + 1] ?? 0) + cost;
    }
    return sums;
  }

  tokensFrom(index: number): number {
    return this.#whole[index] ?? 0;
  }

  /** The first place at or before `last` from which on all is within `budget`. */
  firstWhole(last: number, budget: number): number {
    return this.#firstPlace(last, (place) => this.tokensFrom(place) <= budget);
  }

  /** The same of what lies before `last`, without what tools gave. */
  firstBare(last: number, budget: number): number {
    const behind = this.#bare[last] ?? 0;
    return this.#firstPlace(last, (place) => (this.#bare[place] ?? 0) - behind <= budget);
  }

  #firstPlace(last: number, fits: (place: number) => boolean): number {
    let first = last;
    for (const place of this.#places.toReversed()) {
      if (place >= last) continue;
      if (!fits(place)) break;
      first = place;
    }
    return first;
  }

  whole(from: number): readonly KeptItem[] {
    return this.items.slice(from).map(keptItem);
  }

  bare(from: number, to: number): readonly KeptItem[] {
    return this.#bareItems.slice(from, to);
  }

  /** The last input, where nobody has answered it yet. */
  get unansweredInput(): CommittedItem | null {
    const last = this.items.findLast(({ item }) => isAnswer(item) || item.type === "user_message");
    return last?.item.type === "user_message" ? last : null;
  }

  /** A call in it has no result. */
  get isOpen(): boolean {
    return openCalls(this.items.slice(this.mustKeep)).size > 0;
  }

  /** The least that goes on: that input, and the answer whose calls are open with the results that it has. */
  get least(): readonly CommittedItem[] {
    const { unansweredInput, isOpen } = this;
    return this.items
      .slice(this.mustKeep)
      .filter(
        (one) =>
          one === unansweredInput || (isOpen && (isAnswer(one.item) || one.item.type === "tool_result")),
      );
  }
}

/** What a tool gave, an input attached, or a skill says, as a reference. */
function withoutBody(one: CommittedItem): KeptItem {
  const kept = keptItem(one);
  const { item } = one;
  const isBody = item.type === "tool_result" || isAttached(item);
  return isBody ? (shortened([kept], { bytesMax: 0, words: false })[0] ?? kept) : kept;
}
