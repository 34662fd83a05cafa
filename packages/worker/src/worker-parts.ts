/** WorkerParts: what every step of the loop is handed, and the counters of one run. */
import type { BudgetReached, Clock, RequestConfig, Timers } from "@yoi/base";
import type { Model } from "@yoi/model";
import type { ContextEstimate } from "./context-size.ts";
import type { History } from "./history.ts";
import type { WorkerLimits } from "./limits.ts";
import type { LoopPoints } from "./loop-points.ts";
import type { PruneLimits } from "./prune.ts";
import type { RequestBuilder } from "./request.ts";
import type { ToolTable } from "./tool-table.ts";
import type { WorkerObserver } from "./worker-event.ts";

/** Asked before each request: the budget that leaves nothing for it, or null. */
export type BudgetCheck = () => Promise<BudgetReached | null>;

export interface WorkerHead {
  /** The system prompt. */
  readonly system: string;
  /** The configuration in force: asked before each request. */
  readonly config: () => RequestConfig;
}

export interface WorkerParts {
  readonly history: History;
  readonly model: Model;
  readonly tools: ToolTable;
  readonly head: WorkerHead;
  readonly points: LoopPoints;
  /** Never throws. */
  readonly observe: WorkerObserver;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: WorkerLimits;
  readonly builder: RequestBuilder;
  readonly estimate: ContextEstimate;
  /** Null: nothing is pruned. */
  readonly prune: PruneLimits | null;
  /** Null: nothing is bounded. */
  readonly budget: BudgetCheck | null;
}

/** One run: made new for each, so nothing of it reaches the next. */
export interface Run {
  readonly signal: AbortSignal;
  readonly maxTurns: number | null;
  /** Complete answers of what it goes on with: told alone. */
  readonly turnsBefore: number;
  /** Complete answers so far. */
  turns: number;
  toolCalls: number;
  /** Broken answers since the last complete one. */
  continuations: number;
  /** Text of those, kept: the final text goes on from it. */
  keptText: string;
}
