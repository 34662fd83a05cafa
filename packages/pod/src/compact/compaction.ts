/** Compaction: makes the history that the model reads smaller, or leaves everything as it is. Each try and its end is on record. */
import {
  type Compacted,
  type CompactionTrigger,
  type Ids,
  type JsonObject,
  messageOf,
  noSpent,
  type SegmentId,
  segmentId,
  type Spent,
  YoiError,
} from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { SegmentPlan } from "../history/segment-plan.ts";
import { type CompactorEnd, type CompactorPorts, type HeldOutcome, runCompactor } from "./compactor.ts";
import { type CompactFrom, compactedSegment } from "./next-segment.ts";
import { progressMax } from "./plan/limits.ts";
import type { CompactionPlanning } from "./plan/plan-compaction.ts";
import type { Summary } from "./plan/summary.ts";
import { nextInRow } from "./thrash.ts";

export interface CompactionPorts {
  readonly gate: HistoryGate;
  readonly ids: Ids;
  /** Null: no model is asked. */
  readonly compactor: CompactorPorts | null;
  /** What a compactor is shown of the session first: bounded, whatever its size. */
  readonly overview: (state: SessionState) => string;
  /** Pure. Null for the summary: by rules. */
  readonly plan: (state: SessionState, wish: PlanWish) => CompactionPlanning;
  /** Estimated tokens of the next request, with what is told in it. */
  readonly tokens: () => number;
  /** Of these the part that no compaction makes smaller: the system prompt and the tools. */
  readonly headTokens: () => number;
  /** Of the features, as they are now. */
  readonly states: () => JsonObject;
  readonly rotate: (plan: (from: CompactFrom) => SegmentPlan) => Promise<void>;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

export interface PlanWish {
  readonly summary: Summary | null;
  /** Half of what is kept of the newest otherwise. */
  readonly isTight: boolean;
  /** The provider refuses what there is now. */
  readonly isOverflow: boolean;
  /** Of the next request as it is, with what is told in it. */
  readonly tokensBefore: number;
}

export interface CompactionWish {
  readonly trigger: CompactionTrigger;
  /** The one before was not enough for the provider. */
  readonly isTight?: boolean;
  readonly signal: AbortSignal;
}

/** What became of it. */
export type CompactionEnd =
  | { readonly kind: "committed"; readonly report: CompactionReport }
  /** The signal aborted; history is as it was. */
  | { readonly kind: "stopped" }
  /** What kept its compactor from asking keeps the run from it too: so that ends; history is as it was. */
  | { readonly kind: "held"; readonly outcome: HeldOutcome; readonly message: string }
  /** It cannot be made smaller by enough; history is as it was. */
  | { readonly kind: "no_progress"; readonly message: string };

export interface CompactionReport {
  /** The one that history goes on in, and the one that it was in. */
  readonly segment: SegmentId;
  readonly from: SegmentId;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly itemsBefore: number;
  readonly itemsAfter: number;
  /** Of those before. */
  readonly itemsKept: number;
  /** A model wrote the summary; false: it was put together by rules. */
  readonly isByModel: boolean;
}

/** With what the user is told where rules follow. */
type TryEnd =
  | Exclude<CompactionEnd, { readonly kind: "no_progress" }>
  | (Extract<CompactionEnd, { readonly kind: "no_progress" }> & { readonly warning: string });

/** A plan came to nothing: thrown through a rotation, which leaves everything as it was. */
class NoProgress extends Error {}

interface Try {
  readonly wish: CompactionWish;
  readonly compactor: SegmentId | null;
  readonly tokensBefore: number;
}

export class Compaction {
  readonly #ports: CompactionPorts;
  /** The last one that was committed, and how many answers there were then. */
  #last: { readonly segment: SegmentId; readonly turns: number } | null = null;

  constructor(ports: CompactionPorts) {
    this.#ports = ports;
  }

  /** Whether rules alone would make history smaller by enough; not where nothing was answered since it was done last. Costs a pass over history. */
  get isWorthIt(): boolean {
    const { gate, plan, tokens } = this.#ports;
    if (this.#last?.segment === gate.ref.segment && this.#last.turns === gate.turnCount) return false;
    const wish = { summary: null, isTight: false, isOverflow: false, tokensBefore: tokens() };
    return !("refused" in plan(gate.state, wish));
  }

  /**
   * With a model's summary, and where that comes to nothing by rules. Only while no run works. Throws what the log throws; then history is where it was, unless that says
   * `log_poisoned`.
   */
  async run(wish: CompactionWish): Promise<CompactionEnd> {
    let message = "";
    for (const isByModel of this.#canGain ? [true, false] : [false]) {
      if (wish.signal.aborted) return { kind: "stopped" };
      const ended = await this.#try(wish, isByModel);
      if (ended.kind !== "no_progress") return ended;
      message = ended.message;
      if (isByModel) this.#ports.warn(ended.warning);
    }
    return { kind: "no_progress", message };
  }

  /** False: no summary could make history smaller by enough, so no model is asked for one. */
  get #canGain(): boolean {
    const { compactor, headTokens, tokens } = this.#ports;
    return compactor !== null && headTokens() <= progressMax(tokens());
  }

  async #try(wish: CompactionWish, isByModel: boolean): Promise<TryEnd> {
    const { gate, ids, compactor: ports, tokens } = this.#ports;
    const compactor = isByModel ? segmentId(ids.uuidV7()) : null;
    const one: Try = { wish, compactor, tokensBefore: tokens() };
    const { trigger } = wish;
    await gate.append([{ kind: "compaction_begun", trigger, compactor, tokens: one.tokensBefore }]);
    let explored: CompactorEnd | null = null;
    try {
      if (ports !== null && compactor !== null) explored = await this.#explore(ports, compactor, wish.signal);
      const spent = explored?.spent ?? noSpent;
      if (explored?.kind === "stopped") {
        await this.#ended(one, "failed", "it was stopped", spent);
        return { kind: "stopped" };
      }
      if (explored?.kind === "held") {
        const { outcome, message } = explored;
        await this.#ended(one, "failed", message, spent);
        return { kind: "held", outcome, message };
      }
      if (explored?.kind === "failed") {
        await this.#ended(one, "failed", explored.message, spent);
        return {
          kind: "no_progress",
          message: explored.message,
          warning: noSummary(trigger, explored.message),
        };
      }
      return await this.#commit(one, explored?.summary ?? null, spent);
    } catch (error) {
      if (error instanceof YoiError && error.code === "log_poisoned") throw error;
      const { spent } = explored ?? { spent: noSpent };
      if (error instanceof NoProgress) {
        await this.#ended(one, "no_progress", error.message, spent);
        const warning = "The compactor's summary makes too little room: it is tried by rules.";
        return { kind: "no_progress", message: error.message, warning };
      }
      // What failed is the one to tell: where its end cannot be put on record either, the next owner does.
      await this.#ended(one, "failed", messageOf(error), spent).catch(() => {});
      throw error;
    }
  }

  #explore(ports: CompactorPorts, segment: SegmentId, signal: AbortSignal): Promise<CompactorEnd> {
    const { state } = this.#ports.gate;
    const { session, epoch, calibration, pausesInRow } = state;
    const overview = this.#ports.overview(state);
    return runCompactor(ports, { session, segment, epoch, calibration, pausesInRow, overview, signal });
  }

  async #commit(one: Try, summary: Summary | null, spent: Spent): Promise<TryEnd> {
    const { gate, ids, plan, states, rotate, tokens: tokensNow } = this.#ports;
    const segment = segmentId(ids.uuidV7());
    const { trigger, isTight = false } = one.wish;
    let report: CompactionReport | null = null;
    await rotate((from) => {
      const { state, ref } = from;
      // While a compactor worked more may have come in.
      const tokensBefore = tokensNow();
      const planned = plan(state, {
        summary,
        isTight,
        isOverflow: trigger === "context_overflow",
        tokensBefore,
      });
      if ("refused" in planned) throw new NoProgress(planned.refused);
      const { items, tokens, kept } = planned;
      report = {
        segment,
        from: ref.segment,
        tokensBefore,
        tokensAfter: tokens,
        itemsBefore: state.items.length,
        itemsAfter: items.length,
        itemsKept: kept,
        isByModel: summary !== null,
      };
      const compacted: Compacted = {
        kind: "compacted",
        trigger,
        outcome: "committed",
        compactor: one.compactor,
        spent,
        tokens_before: tokensBefore,
        tokens_after: tokens,
        items_before: state.items.length,
        items_after: items.length,
        items_kept: kept,
        ...(trigger === "user" ? {} : { in_row: nextInRow(state) }),
      };
      return compactedSegment(from, { segment, items, states: states(), behind: [compacted] });
    });
    if (report === null) throw new Error("history was rotated without a plan");
    this.#last = { segment, turns: gate.turnCount };
    return { kind: "committed", report };
  }

  async #ended(
    { wish, compactor, tokensBefore }: Try,
    outcome: Exclude<Compacted["outcome"], "committed">,
    message: string,
    spent: Spent,
  ): Promise<void> {
    const { gate } = this.#ports;
    const { trigger } = wish;
    const ended = unfinished({ trigger, compactor, tokens: tokensBefore }, gate.items.length);
    await gate.append([{ ...ended, outcome, message, spent }]);
  }
}

/** Whoever asked for it reads no records. */
function noSummary(trigger: CompactionTrigger, why: string): string {
  const told = trigger === "user" ? `: ${why.replace(/\.$/, "")}. It` : ": it";
  return `The compactor gave no usable summary${told} is done by rules.`;
}

/** The record of a try that came to no result. */
export function unfinished(
  { trigger, compactor, tokens }: Pick<Compacted, "trigger" | "compactor"> & { readonly tokens: number },
  items: number,
): Omit<Compacted, "outcome" | "message" | "spent"> {
  return {
    kind: "compacted",
    trigger,
    compactor,
    tokens_before: tokens,
    tokens_after: null,
    items_before: items,
    items_after: null,
    items_kept: null,
  };
}
