/** planCompaction: the history that goes on behind a compaction, within its limits, or why there is none. Pure. */
import { type CommittedItem, entryId, flattenInput, type Item, utf8Length } from "@yoi/base";
import { positionOf } from "@yoi/model";
import type { SessionState } from "@yoi/session-store";
import { bytesPerToken } from "@yoi/worker";
import { carriedSeq } from "../../history/segment-plan.ts";
import {
  type CarryOverInput,
  carryOverItems,
  type CarryRoom,
  carryRoom,
  type Leaving,
  ofTheUser,
} from "./carry-over.ts";
import { type KeptItem, keptItem } from "./kept-item.ts";
import { type CompactionLimits, progressMax } from "./limits.ts";
import { OldHistory, type SizeOf } from "./old-history.ts";
import { shortened } from "./shorten.ts";
import { countingAnswers } from "./summary.ts";

export interface CompactionInput extends Omit<CarryOverInput, "items"> {
  readonly state: Pick<SessionState, "items" | "generation" | "calibration" | "config">;
  readonly limits: CompactionLimits;
  /** Asked for every item, and for all of them some dozen times. */
  readonly sizeOf: SizeOf;
  /** Of the next request as it is now: what comes of it has to be smaller by enough. */
  readonly tokensBefore: number;
  /** Of an overflow: the one before was not enough for the provider, and a quarter is aimed at. */
  readonly isTight?: boolean;
  /** The provider refuses what there is now, whatever it was estimated at: half of that is aimed at. */
  readonly isOverflow?: boolean;
}

export interface CompactedPlan {
  /** All of the new history: what is carried over first, then the newest items. With ids, and `folded`. */
  readonly items: readonly (Omit<CommittedItem, "seq"> & { readonly id: string })[];
  /** Of a request with them. */
  readonly tokens: number;
  /** Items of the old history among them that are as they were. */
  readonly kept: number;
  /** Id of the first old item that is among them; null: none is. */
  readonly cutAt: string | null;
}

/** `refused`: a sentence without its full stop. */
export type CompactionPlanning = CompactedPlan | { readonly refused: string };

/** One way to make room. */
interface Attempt {
  /** Tokens of the whole. */
  readonly most: number;
  /** Of what is told of the old history at most. */
  readonly share: number;
  /** The words of the user and of answers may be cut too. */
  readonly words?: true;
  /** What no model has seen yet leaves too, as far as it may. */
  readonly least?: true;
}

/** UTF-8 bytes: the bound of texts is looked for no closer than that. */
const searchBytes = 128;

export function planCompaction(input: CompactionInput): CompactionPlanning {
  const { summary, state } = input;
  return new Planner({ ...input, summary: summary && ofTheUser(summary, state.items) }).plan();
}

class Planner {
  readonly #input: CompactionInput;
  readonly #old: OldHistory;

  constructor(input: CompactionInput) {
    this.#input = input;
    this.#old = new OldHistory(input.state.items, input.sizeOf);
  }

  /** The gentlest way that makes enough room. What has to come of it is within the limit; what helps is also smaller by the floor. */
  plan(): CompactionPlanning {
    for (const attempt of this.#attempts) {
      const plan = this.#attempt(attempt);
      if (plan === null) continue;
      if (plan.tokens <= this.#helpful) return withAnswers(plan, this.#input.state.items);
      // What may stay as it is loses nothing more only to be small enough.
      if (!this.#isNeeded) return { refused: tooLittle(plan.tokens, this.#input.tokensBefore) };
    }
    return { refused: this.#whyNot() };
  }

  /** What could be sent as it is loses nothing that nobody has answered yet. */
  get #isNeeded(): boolean {
    const { limits, tokensBefore, isOverflow = false } = this.#input;
    return tokensBefore > limits.limit || isOverflow;
  }

  /** More would not have helped. */
  get #helpful(): number {
    return progressMax(this.#input.tokensBefore);
  }

  /** What is meant to come of it. Of a provider's own window is known only that it is smaller than what was sent. */
  get #aim(): number {
    const { limits, tokensBefore, isTight = false, isOverflow = false } = this.#input;
    if (!isOverflow) return limits.resultMax;
    const parts = isTight ? 4 : 2;
    const history = Math.floor((tokensBefore - this.#old.head) / (2 * parts));
    return Math.min(limits.resultMax, Math.max(Math.floor(tokensBefore / parts), this.#old.head + history));
  }

  get #attempts(): readonly Attempt[] {
    const { isOverflow = false, limits } = this.#input;
    const aim = this.#aim;
    const { limit } = limits;
    const words: readonly Attempt[] = [
      // What is cut anyway leaves room for the next answers.
      { most: aim, share: 0, words: true },
      { most: limit, share: 0, words: true },
    ];
    const gentle: readonly Attempt[] = [
      { most: aim, share: 1 },
      { most: aim, share: 0.25 },
      { most: limit, share: 0.25 },
      { most: limit, share: 0 },
    ];
    const least = (most: number): Attempt => ({ most, share: 0, words: true, least: true });
    if (isOverflow) {
      const small = [...gentle, ...words, least(aim)].filter(({ most }) => most === aim);
      return [...small, ...gentle, ...words, least(limit)];
    }
    return [
      ...gentle,
      ...(this.#isNeeded || this.#old.unansweredInput === null ? words : []),
      ...(this.#isNeeded ? [least(limit)] : []),
    ];
  }

  #attempt(attempt: Attempt): CompactedPlan | null {
    const { items, mustKeep, least } = this.#old;
    if (attempt.least === true) return this.#squeezed(least, attempt);
    const wide = this.#wide(attempt);
    return wide !== null && wide.tokens <= attempt.most
      ? wide
      : this.#squeezed(items.slice(mustKeep), attempt);
  }

  /** As much of the newest as is kept, whole; by rules also what is older, without what tools gave. Null: not even the newest fits whole. */
  #wide(attempt: Attempt): CompactedPlan | null {
    const { limits, sizeOf, summary } = this.#input;
    const { head, items, mustKeep } = this.#old;
    const told = this.#carryOver(this.#leaving(mustKeep), this.#room(attempt));
    const toldTokens = sizeOf(told.map(({ item }) => item)) - head;
    if (attempt.most - head - toldTokens < this.#old.tokensFrom(mustKeep)) return null;
    // What is kept beside that is to leave it a compaction that helps.
    const left = Math.min(attempt.most, this.#helpful) - head - toldTokens;
    const half = Math.floor((this.#aim - head) / 2);
    const whole = this.#old.firstWhole(mustKeep, Math.min(left, limits.retained, half));
    // Half of what there may be: it is to be a while until the next one.
    const room = Math.min(left, half - toldTokens) - this.#old.tokensFrom(whole);
    const from = summary === null ? this.#old.firstBare(whole, room) : whole;
    const kept = [...this.#old.bare(from, whole), ...this.#old.whole(whole)];
    return this.#put(this.#carryOver(this.#leaving(from), this.#room(attempt)), kept, items);
  }

  /** These alone, with their texts as long as there is room for; null: they do not fit however short those are. */
  #squeezed(kept: readonly CommittedItem[], attempt: Attempt): CompactedPlan | null {
    const { words = false } = attempt;
    const most = Math.min(attempt.most, this.#helpful);
    const { items } = this.#old;
    const told = this.#carryOver(this.#leavingBeside(kept, words), this.#room(attempt));
    const whole = kept.map(keptItem);
    const within = (bytesMax: number): CompactedPlan | null => {
      const plan = this.#put(told, shortened(whole, { bytesMax, words }), items);
      return plan.tokens <= most ? plan : null;
    };
    const uncut = within(Number.MAX_SAFE_INTEGER);
    if (uncut !== null) return uncut;
    let best = within(0);
    let [low, high] = [0, whole.reduce((most, { item }) => Math.max(most, textBytes(item)), 0)];
    while (best !== null && high - low > searchBytes) {
      const middle = Math.ceil((low + high) / 2);
      const plan = within(middle);
      if (plan === null) high = middle - 1;
      else [low, best] = [middle, plan];
    }
    return best;
  }

  #leaving(from: number): Leaving {
    const { items, mustKeep } = this.#old;
    return { left: items.slice(0, from), untold: items.slice(mustKeep, from), cut: [] };
  }

  #leavingBeside(kept: readonly CommittedItem[], words: boolean): Leaving {
    const { items, mustKeep } = this.#old;
    const stays = new Set(kept);
    return {
      left: items.filter((one) => !stays.has(one)),
      untold: items.slice(mustKeep).filter((one) => !stays.has(one)),
      cut: words ? kept.filter(({ item }) => item.type === "user_message") : [],
    };
  }

  #room({ most, share }: Attempt): CarryRoom {
    const { limits, state } = this.#input;
    const rate = bytesPerToken(state.calibration, state.config.model);
    return carryRoom(Math.max(0, most - this.#old.head) * rate, share, limits.summary.max * rate);
  }

  #carryOver(leaving: Leaving, room: CarryRoom): readonly KeptItem[] {
    const { state, summary, featureTexts, readFiles } = this.#input;
    const { items, generation } = state;
    return carryOverItems({ items, summary, featureTexts, readFiles }, leaving, room).map((item, index) => {
      return { id: entryId(generation + 1, carriedSeq(index)), item: Object.freeze(item) };
    });
  }

  #put(told: readonly KeptItem[], kept: readonly KeptItem[], old: readonly CommittedItem[]): CompactedPlan {
    const before = new Set(old.map(({ item }) => item));
    const items = [...told, ...kept].map((one) => ({ ...one, folded: true }));
    return {
      items,
      tokens: this.#input.sizeOf(items.map(({ item }) => item)),
      kept: kept.filter(({ item }) => before.has(item)).length,
      cutAt: kept[0]?.id ?? null,
    };
  }

  #whyNot(): string {
    const { limits, tokensBefore } = this.#input;
    const { limit } = limits;
    const { head, isOpen, least, unansweredInput } = this.#old;
    if (head > limit)
      return `the system prompt and the tools alone have about ${head} tokens, and at most ${limit} are ever sent: a model with a larger window is needed, or fewer tools`;
    const told = this.#carryOver(this.#leavingBeside(least, true), this.#room({ most: 0, share: 0 }));
    const shortest = shortened(least.map(keptItem), { bytesMax: 0, words: true });
    const { tokens } = this.#put(told, shortest, this.#old.items);
    const sizes = `about ${tokens} tokens, and at most ${limit} are ever sent`;
    if (tokens <= Math.min(limit, progressMax(tokensBefore)))
      return `what is not answered yet makes up most of the about ${tokensBefore} tokens, and it can be sent whole`;
    if (tokens <= limit) return tooLittle(tokens, tokensBefore, " at least");
    if (isOpen)
      return `the calls that have no result yet alone make it ${sizes}: answer or cancel them first`;
    if (unansweredInput !== null)
      return `the input that is not answered yet makes it ${sizes}, however short it is cut`;
    return `the system prompt and the tools leave too little room: with the least of history it is ${sizes}`;
  }
}

function tooLittle(tokens: number, before: number, least = ""): string {
  return `history would have about ${tokens} tokens${least}, of ${before} now: too little is gained`;
}

/** How far a model had come is the same behind a compaction as before it. */
function withAnswers(plan: CompactedPlan, old: readonly CommittedItem[]): CompactedPlan {
  const before = positionOf(old);
  const kept = positionOf(plan.items.map((one, index) => ({ ...one, seq: carriedSeq(index) })));
  const left = {
    answers: before.step - kept.step,
    broken: kept.step === 0 ? before.attempt - kept.attempt : 0,
  };
  return { ...plan, items: plan.items.map((one) => ({ ...one, item: countingAnswers(one.item, left) })) };
}

/** At least the bytes of every text in it that can be cut. */
function textBytes(item: Item): number {
  switch (item.type) {
    case "user_message":
      return utf8Length(flattenInput(item.parts));
    case "assistant_message":
      return utf8Length(item.text);
    case "system_item":
      return utf8Length(item.body);
    case "tool_result":
      return utf8Length(item.content ?? "");
    case "reasoning":
    case "tool_call":
      return 0;
  }
}
