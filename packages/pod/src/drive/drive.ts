/** Drive: the one state machine of a Pod. Nothing else decides what runs next. */
import { type InputPart, subtractUsage, type Usage, YoiError } from "@yoi/base";
import type { RunOutcome, Worker } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import { denialsOfRun, type PermissionDenial } from "../policy/denials.ts";
import { acceptInput, acceptResume } from "../turn/accept-input.ts";
import { closingRecord, stoppedAs, type StopKind } from "../turn/close-run.ts";

export type DriveState = "idle" | "running" | "paused";

/** What one run came to. */
export interface RunReport {
  readonly outcome: RunOutcome;
  readonly turns: number;
  readonly usage: Usage;
  /** What the whole run was refused since its input, also before it was resumed or by another process. */
  readonly denials: readonly PermissionDenial[];
  /** The run's last turn followed a call that somebody would have had to allow. */
  readonly permissionNeeded: boolean;
}

export interface DriveParts {
  readonly gate: HistoryGate;
  readonly worker: Worker;
  /** Turns per run; null: no limit. */
  readonly maxTurns: number | null;
}

export class Drive {
  readonly #parts: DriveParts;
  #running: { readonly controller: AbortController; stop: StopKind } | null = null;

  constructor(parts: DriveParts) {
    this.#parts = parts;
  }

  get state(): DriveState {
    if (this.#running !== null) return "running";
    return this.#parts.gate.state.run.state === "paused" ? "paused" : "idle";
  }

  /** A new input: accepted (durable) first, then run to its end. */
  submit(parts: readonly InputPart[]): Promise<RunReport> {
    return this.#run("new", () => acceptInput(this.#parts.gate, parts));
  }

  /** Goes on with the same turn. */
  resume(): Promise<RunReport> {
    return this.#run("resume", () => acceptResume(this.#parts.gate));
  }

  /** Ends the current run as `kind` at the worker's next await; nothing when idle, so a stale stop cannot hit the next run. */
  stop(kind: StopKind): void {
    if (this.#running === null) return;
    this.#running.stop = kind;
    this.#running.controller.abort();
  }

  async #run(mode: "new" | "resume", accept: () => Promise<void>): Promise<RunReport> {
    if (this.#running !== null) {
      throw new YoiError("pod_held", "This Pod is running already: wait for the run to end, or stop it.");
    }
    const running = { controller: new AbortController(), stop: "cancel" as StopKind };
    this.#running = running;
    const { gate, worker, maxTurns } = this.#parts;
    const before = { turns: gate.turnCount, usage: gate.state.usage };
    try {
      await accept();
      const ended = await worker.run({ mode, signal: running.controller.signal, maxTurns });
      const outcome = stoppedAs(ended, running.stop);
      await gate.append([closingRecord(outcome)]);
      const { denials, lastAsked } = denialsOfRun(gate.items);
      return {
        outcome,
        turns: gate.turnCount - before.turns,
        usage: subtractUsage(gate.state.usage, before.usage),
        denials,
        permissionNeeded: outcome.kind === "finished" && lastAsked,
      };
    } finally {
      this.#running = null;
    }
  }
}
