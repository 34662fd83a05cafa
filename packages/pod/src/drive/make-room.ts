/** Making room: what is done about a run that yielded, and how it ends where nothing can be. */
import type { CompactionTrigger } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import type { RunOutcome } from "@yoi/worker";
import type { CompactionEnd, CompactionWish } from "../compact/compaction.ts";
import { nextInRow, thrashAnswersMin, thrashCompactionsMax } from "../compact/thrash.ts";

/** Compaction, as a run sees it. */
export interface Room {
  /** False: only the user compacts. */
  readonly isAutomatic: boolean;
  /** Whether it would come to anything without a model. */
  readonly isWorthIt: boolean;
  run(wish: CompactionWish): Promise<CompactionEnd>;
}

type Yielded = Extract<RunOutcome, { readonly kind: "yielded" }>;

/** The compactions of one run: none follows another one without an answer between, but one that a provider asks for, or for what came in since. */
export class RoomOfRun {
  readonly #room: Room | null;
  /** Complete answers when it was compacted last, how often since the last one, and the items that were left. */
  #at = { turns: -1, times: 0, items: 0 };
  #thrashes = false;

  constructor(room: Room | null) {
    this.#room = room;
  }

  /** How it is compacted; null: it is not, and the run ends. */
  wishFor(
    outcome: RunOutcome,
    state: Pick<SessionState, "turnCount" | "compactionsInRow" | "items">,
  ): Omit<CompactionWish, "signal"> | null {
    if (outcome.kind !== "yielded" || this.#room?.isAutomatic !== true) return null;
    const by = outcome.by?.kind ?? "threshold";
    const turns = state.turnCount;
    const times = turns === this.#at.turns ? this.#at.times : 0;
    const isForNews = by === "threshold" && state.items.length > this.#at.items;
    const isAgain = times > 0 && !isForNews;
    if (isAgain && (times > 1 || by !== "provider")) return null;
    this.#thrashes = nextInRow(state) > thrashCompactionsMax;
    if (this.#thrashes) return null;
    // A hook may ask whenever it likes: where there is nothing to gain the run pauses for it.
    if (by === "hook" && !this.#room.isWorthIt) return null;
    this.#at = { ...this.#at, turns, times: times + 1 };
    return { trigger: triggers[by], isTight: isAgain };
  }

  async run(wish: CompactionWish): Promise<CompactionEnd> {
    if (this.#room === null) throw new Error("nothing compacts here");
    const made = await this.#room.run(wish);
    if (made.kind === "committed") this.#at = { ...this.#at, items: made.report.itemsAfter };
    return made;
  }

  /** How a run ends for which no room was made. */
  without(outcome: RunOutcome, why: string | null): RunOutcome {
    if (outcome.kind !== "yielded" || outcome.by?.kind === "hook" || this.#room === null)
      return asFailed(outcome);
    return why === null && this.#thrashes ? thrashed(outcome) : contextFull(outcome, why ?? this.#whyNot());
  }

  #whyNot(): string {
    return this.#room?.isAutomatic === true
      ? "it was compacted just before, and nothing was answered since"
      : "compacting by itself is switched off (`compaction.enabled`), and `yoi pod compact` does it by hand";
  }
}

const triggers = {
  threshold: "threshold",
  hook: "hook",
  provider: "context_overflow",
} as const satisfies Record<string, CompactionTrigger>;

/** Where nothing compacts at all a threshold pauses, and a provider's refusal is a failure. */
function asFailed(outcome: RunOutcome): RunOutcome {
  if (outcome.kind !== "yielded" || outcome.by?.kind !== "provider") return outcome;
  return { kind: "failed", failure: outcome.by.failure };
}

function contextFull({ reason, by }: Yielded, why: string): RunOutcome {
  return asFull(
    `The history does not fit the model's context any more, and nothing more was sent: ${clause(reason)}; ${clause(why)}. Go back with \`yoi pod rewind\`, choose a model with a larger context, or ${cureOf(by, "set `compaction` otherwise")}; the next run tries again.`,
  );
}

function thrashed({ reason, by }: Yielded): RunOutcome {
  return asFull(
    `What this run works with fills the model's context again at once, and nothing was sent: ${clause(reason)}; it was compacted ${thrashCompactionsMax} times in a row with fewer than ${thrashAnswersMin} answers between. Give it a narrower task, choose a model with a larger context, or ${cureOf(by, "raise `retained_tokens` or the thresholds below `[compaction]`")}; the next input tries again.`,
  );
}

/** A provider refuses what yoi thought small enough: then the window is smaller than it is believed to be. */
function cureOf(by: Yielded["by"], otherwise: string): string {
  return by?.kind === "provider"
    ? "set `model.context_window` to the window that the provider has"
    : otherwise;
}

/** Without its full stop. */
function clause(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

function asFull(message: string): RunOutcome {
  return { kind: "failed", failure: { kind: "context_full", message, retryable: false } };
}
