/** Worker: runs turns over committed history until the answer is there, or something else ends the run. */
import { canonicalJson, type Clock, messageOf, type Timers, utf8Length } from "@yoi/base";
import type { Model } from "@yoi/model";
import { closingEntries, resumingEntries } from "./closing.ts";
import { ContextEstimate } from "./context-size.ts";
import type { History } from "./history.ts";
import { defaultLimits, type WorkerLimits } from "./limits.ts";
import type { LoopPoints } from "./loop-points.ts";
import type { RunOutcome } from "./outcome.ts";
import type { PruneLimits } from "./prune.ts";
import { RequestBuilder } from "./request.ts";
import { goOnWithOpenTurn } from "./resume.ts";
import { Cancelled, told } from "./settle.ts";
import type { ToolTable } from "./tool-table.ts";
import { turn } from "./turn.ts";
import type { WorkerObserver } from "./worker-event.ts";
import type { BudgetCheck, Run, WorkerHead, WorkerParts } from "./worker-parts.ts";

export interface WorkerOptions {
  readonly history: History;
  readonly model: Model;
  readonly tools: ToolTable;
  readonly head: WorkerHead;
  readonly points: LoopPoints;
  readonly observer: WorkerObserver;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits?: Partial<WorkerLimits>;
  /** Null or absent: what is old is never left out. */
  readonly prune?: PruneLimits | null;
  /** Null or absent: what is used has no bound. */
  readonly budget?: BudgetCheck | null;
}

export interface RunOptions {
  /** new: the input is in history, and nothing before it is open (`closingEntries`). resume: the same turn goes on. */
  readonly mode: "new" | "resume";
  readonly signal: AbortSignal;
  /** Complete answers in this run; checked after a round of tools, so that a final answer is never cut. Null: no limit. */
  readonly maxTurns: number | null;
  /** Complete answers of the same run before this one, behind which the turns that observers are told of go on. Default 0. */
  readonly turnsBefore?: number;
  /** Asked when the run was cancelled. True: the turn is to go on later, and calls that were not started stay open for that. Absent: they are closed. */
  readonly leavesOpen?: () => boolean;
}

export class Worker {
  readonly #parts: WorkerParts;
  #running = false;

  constructor(options: WorkerOptions) {
    const {
      history,
      model,
      tools,
      head,
      points,
      observer,
      clock,
      timers,
      prune = null,
      budget = null,
    } = options;
    this.#parts = {
      history,
      model,
      tools,
      head,
      points,
      observe: (event) => told(() => observer(event)),
      clock,
      timers,
      limits: { ...defaultLimits, ...options.limits },
      builder: new RequestBuilder(),
      estimate: new ContextEstimate(
        utf8Length(head.system) + utf8Length(canonicalJson(tools.definitions)),
        () => head.config().model,
      ),
      prune,
      budget,
    };
  }

  /**
   * Runs until there is an outcome. The closing record of the run is the caller's. Throws what `History.append` threw, at once; nothing is sent or
   * executed after that. One run at a time.
   */
  async run(options: RunOptions): Promise<RunOutcome> {
    if (this.#running) throw new Error("this worker is running already");
    this.#running = true;
    const { points } = this.#parts;
    try {
      const outcome = await this.#toOutcome(options);
      const reason = whyAborted(outcome);
      if (reason !== null) told(() => points.aborted(reason));
      return outcome;
    } catch (thrown) {
      told(() => points.aborted(messageOf(thrown)));
      throw thrown;
    } finally {
      this.#running = false;
    }
  }

  async #toOutcome(options: RunOptions): Promise<RunOutcome> {
    const { mode, signal, maxTurns, turnsBefore = 0, leavesOpen } = options;
    const begun = { turns: 0, toolCalls: 0, continuations: 0, keptText: "" };
    const run: Run = { signal, maxTurns, turnsBefore, ...begun };
    try {
      let outcome = mode === "resume" ? await goOnWithOpenTurn(this.#parts, run) : null;
      while (outcome === null) outcome = await turn(this.#parts, run);
      return outcome;
    } catch (thrown) {
      if (!(thrown instanceof Cancelled)) throw thrown;
      const { history } = this.#parts;
      const bodies = leavesOpen?.() === true ? resumingEntries(history) : closingEntries(history);
      if (bodies.length > 0) await history.append(bodies);
      return { kind: "cancelled" };
    }
  }
}

function whyAborted(outcome: RunOutcome): string | null {
  switch (outcome.kind) {
    case "aborted":
      return outcome.reason;
    case "cancelled":
      return "cancelled";
    case "failed":
      return outcome.failure.message;
    case "finished":
    case "limit_reached":
    case "rolled_back":
    case "paused":
    case "yielded":
      return null;
  }
}
