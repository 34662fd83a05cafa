/** Drive: the one state machine of a Pod. Nothing else decides what runs next. */
import {
  type Cost,
  type InputPart,
  subtractCost,
  subtractUsage,
  type Timers,
  type Usage,
  YoiError,
} from "@yoi/base";
import type { RunOutcome, Worker } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { denialsOfRun, type PermissionDenial } from "../policy/denials.ts";
import { acceptInput, acceptResume, hasUnfinishedTurn, type InputPorts } from "../turn/accept-input.ts";
import { closingRecord, type RunStop, stoppedAs, type StopKind } from "../turn/close-run.ts";

export type DriveState = "idle" | "running" | "paused";

/** What one run came to. */
export interface RunReport {
  readonly outcome: RunOutcome;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  /** What the whole run was refused since its input, also before it was resumed or by another process. */
  readonly denials: readonly PermissionDenial[];
  /** The run's last turn followed a call that somebody would have had to allow. */
  readonly permissionNeeded: boolean;
}

export interface DriveParts {
  readonly gate: HistoryGate;
  readonly input: InputPorts;
  readonly worker: Worker;
  readonly timers: Pick<Timers, "after">;
  /** Turns per run; null: no limit. */
  readonly maxTurns: number | null;
}

export interface RunLimits {
  /** After this long the run is stopped as limit_reached, whatever it waits for; null: no limit. Time in which the machine sleeps may not count. */
  readonly timeoutMs: number | null;
  /** What is left of it where some was used before the run; without it, all. */
  readonly leftMs?: number;
}

interface Running {
  controller: AbortController;
  /** What stopped it first; nothing that comes later changes it. */
  stop: RunStop | null;
}

export class Drive {
  readonly #parts: DriveParts;
  #running: Running | null = null;

  constructor(parts: DriveParts) {
    this.#parts = parts;
  }

  get state(): DriveState {
    if (this.#running !== null) return "running";
    return this.#parts.gate.state.run.state === "paused" ? "paused" : "idle";
  }

  /** A new input: accepted (durable) first, then run to its end. */
  submit(parts: readonly InputPart[], limits: RunLimits): Promise<RunReport> {
    return this.#run("new", limits, () => acceptInput(this.#parts.gate, parts, this.#parts.input));
  }

  /** Goes on with the same turn. */
  resume(limits: RunLimits): Promise<RunReport> {
    return this.#run("resume", limits, () => acceptResume(this.#parts.gate));
  }

  /** Ends the current run as `kind` at the worker's next await; nothing when idle, so a stale stop cannot hit the next run. */
  stop(kind: StopKind): void {
    if (this.#running !== null) stopFor(this.#running, { by: kind });
  }

  async #run(mode: "new" | "resume", limits: RunLimits, accept: () => Promise<void>): Promise<RunReport> {
    if (this.#running !== null) {
      throw new YoiError("pod_held", "This Pod is running already: wait for the run to end, or stop it.");
    }
    const running: Running = { controller: new AbortController(), stop: null };
    this.#running = running;
    const { gate } = this.#parts;
    const before = { turns: gate.turnCount, usage: gate.state.usage, cost: gate.state.cost };
    const endTimer = this.#limitTime(running, limits);
    try {
      await accept();
      const outcome = await this.#work(mode, running);
      await gate.append([closingRecord(outcome)]);
      const { denials, lastAsked } = denialsOfRun(gate.items);
      return {
        outcome,
        turns: gate.turnCount - before.turns,
        usage: subtractUsage(gate.state.usage, before.usage),
        cost: subtractCost(gate.state.cost, before.cost),
        denials,
        permissionNeeded: outcome.kind === "finished" && lastAsked,
      };
    } finally {
      endTimer();
      this.#running = null;
    }
  }

  #limitTime(running: Running, { timeoutMs, leftMs }: RunLimits): () => void {
    if (timeoutMs === null) return () => {};
    return this.#parts.timers.after(leftMs ?? timeoutMs, () =>
      stopFor(running, { by: "time", maxMs: timeoutMs }),
    );
  }

  async #work(mode: "new" | "resume", running: Running): Promise<RunOutcome> {
    const { gate, worker, maxTurns } = this.#parts;
    const ended = await worker.run({ mode, signal: running.controller.signal, maxTurns });
    if (ended.kind !== "cancelled" || running.stop?.by !== "time" || hasUnfinishedTurn(gate))
      return running.stop === null ? ended : stoppedAs(ended, running.stop);
    // The whole answer was on record when the time was up: the run is finished, and only the end of its turn is left to do.
    running.controller = new AbortController();
    return worker.run({ mode: "resume", signal: running.controller.signal, maxTurns });
  }
}

function stopFor(running: Running, stop: RunStop): void {
  if (running.stop !== null) return;
  running.stop = stop;
  running.controller.abort();
}
