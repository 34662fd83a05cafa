/** RunOutcome: how a run ended, as data. The caller writes the run's closing record from it. */
import type { BudgetReached, PauseReason } from "@yoi/base";
import type { FailureKind, ModelFailure } from "@yoi/model";

export type RunOutcome =
  | { readonly kind: "finished"; readonly text: string }
  | { readonly kind: "limit_reached"; readonly limit: "turns"; readonly max: number }
  /** What the Pod and its children may use in their whole life is used. */
  | ({ readonly kind: "limit_reached"; readonly limit: "budget" } & BudgetReached)
  /** The caller's limit: the worker sees only that it was cancelled. */
  | { readonly kind: "limit_reached"; readonly limit: "time"; readonly maxMs: number }
  | {
      readonly kind: "paused";
      readonly reason: PauseReason;
      readonly detail: string;
      readonly until?: number;
    }
  /** The host is asked to do something first (compaction). `by` is absent where no more than the record is known. */
  | { readonly kind: "yielded"; readonly reason: string; readonly by?: YieldedBy }
  | { readonly kind: "aborted"; readonly reason: string }
  | { readonly kind: "cancelled" }
  /** Stopped before the model began to answer: the input of the run that `invoke` began leaves history. Only the caller of the worker says so. */
  | { readonly kind: "rolled_back"; readonly invoke: number }
  | { readonly kind: "failed"; readonly failure: RunFailure };

/** Who asked: a threshold, a pre-request hook, or a provider that found the request too long. */
export type YieldedBy =
  | { readonly kind: "threshold" | "hook" }
  | { readonly kind: "provider"; readonly failure: ModelFailure };

/** context_full: nothing was sent, for history cannot be made to fit the model's context. Only the caller of the worker says so. */
export type RunFailure = Omit<ModelFailure, "kind"> & { readonly kind: FailureKind | "context_full" };
