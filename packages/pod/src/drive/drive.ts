/** Drive: the one state machine of a Pod. Nothing else decides what runs next. */
import { type InputPart, type Timers, YoiError } from "@yoi/base";
import { type RunOutcome, told, type Worker } from "@yoi/worker";
import type { HistoryGate } from "../history/gate.ts";
import {
  acceptInput,
  acceptNotices,
  acceptResume,
  hasUnfinishedTurn,
  type InputPorts,
  type RunMode,
} from "../turn/accept-input.ts";
import { closingRecord, type RunStop, stoppedAs, type StopKind } from "../turn/close-run.ts";
import { orStopped, stopped } from "../turn/or-stopped.ts";
import { RunAccount, type RunReport } from "./run-report.ts";

export type { RunReport } from "./run-report.ts";

/** `running` also while an asked run waits for the end of one that began by itself. */
export type DriveState = "idle" | "running" | "paused";

/** Told how runs ended that nobody asked for. */
export interface OwnRuns {
  readonly ended: (report: RunReport) => void;
  /** The log could not be written: what of the run is on record stands. */
  readonly failed: (error: unknown) => void;
}

export interface DriveParts {
  readonly gate: HistoryGate;
  readonly input: InputPorts;
  readonly worker: Worker;
  readonly timers: Pick<Timers, "after">;
  /** Turns per run, with the notification runs that follow it; null: no limit. */
  readonly maxTurns: number | null;
  /** Absent: nothing begins by itself, and what arrives while the Pod is idle waits for the next run. */
  readonly ownRuns?: OwnRuns;
  /** Told of a run that came on record and was cut, or threw: a call may have been given up, so what its tools did and what is on record may differ. */
  readonly unfinished?: () => void;
}

export interface RunLimits {
  /** After this long the run is stopped as limit_reached, whatever it waits for; null: no limit. Time in which the machine sleeps may not count. */
  readonly timeoutMs: number | null;
  /** What is left of it where some was used before the run; without it, all. */
  readonly leftMs?: number;
}

/** One run, with the notification runs that follow it. */
interface Running {
  controller: AbortController;
  /** What stopped it first; nothing that comes later changes it. */
  stop: RunStop | null;
  /** The time was up when its answer was whole: its turn still ends, unless something else stops that, and nothing follows. */
  isLate: boolean;
  readonly ended: PromiseWithResolvers<void>;
}

/** How a run comes on record. */
type Accept = (signal: AbortSignal) => Promise<RunMode | typeof stopped>;

/**
 * At most one run works at a time: one that was asked for, or one that began by itself because something was accepted while the Pod was idle.
 * Whoever asks during the latter waits for its end and goes before everything else that waits.
 */
export class Drive {
  readonly #parts: DriveParts;
  #asked: Running | null = null;
  #own: Running | null = null;
  #closing: Promise<void> | null = null;

  constructor(parts: DriveParts) {
    this.#parts = parts;
  }

  get state(): DriveState {
    if (this.#asked !== null || this.#own !== null) return "running";
    return this.#parts.gate.state.run.state === "paused" ? "paused" : "idle";
  }

  /** A new input: accepted (durable) first, then run to its end. */
  submit(parts: readonly InputPart[], limits: RunLimits): Promise<RunReport> {
    const { gate, input } = this.#parts;
    return this.#ask(limits, (signal) => acceptInput(gate, parts, input, signal));
  }

  /** Goes on with the same turn. */
  resume(limits: RunLimits): Promise<RunReport> {
    return this.#ask(limits, () => acceptResume(this.#parts.gate));
  }

  /**
   * Something was accepted into the inbox. While the Pod is idle a run begins that delivers it; otherwise the run that goes on does, or one that begins
   * behind it. Behind a run that somebody cancelled or paused, that failed or that reached a limit, it waits for the next notice or run.
   */
  notified(): void {
    const { gate, ownRuns } = this.#parts;
    if (ownRuns === undefined || this.#closing !== null) return;
    if (this.state !== "idle" || gate.state.inbox.length === 0) return;
    const running = begun();
    this.#own = running;
    const ended = () => (this.#own = null);
    const account = new RunAccount(gate, { from: gate.lastSeq });
    void this.#run(running, account, ended, () => acceptNotices(gate)).then(
      (report) => told(() => ownRuns.ended(report)),
      (error: unknown) => told(() => ownRuns.failed(error)),
    );
  }

  /** Ends what runs as `kind` at the worker's next await; nothing when idle, so a stale stop cannot hit the next run. */
  stop(kind: StopKind): void {
    this.#stop({ by: kind });
  }

  /** At once nothing begins any more, and what runs ends as interrupted. Resolves when it has ended. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      const running = [this.#own, this.#asked];
      this.#stop({ by: "close" });
      for (const one of running) await one?.ended.promise;
    })();
    return this.#closing;
  }

  #stop(stop: RunStop): void {
    for (const running of [this.#own, this.#asked]) if (running !== null) stopFor(running, stop);
  }

  async #ask(limits: RunLimits, accept: Accept): Promise<RunReport> {
    if (this.#closing !== null) throw new YoiError("cancelled", "This Pod is closing: open it again to run.");
    if (this.#asked !== null) {
      throw new YoiError("pod_held", "This Pod is running already: wait for the run to end, or stop it.");
    }
    const running = begun();
    this.#asked = running;
    const endTimer = this.#limitTime(running, limits);
    const ended = () => {
      endTimer();
      this.#asked = null;
    };
    const own = this.#own;
    if (own !== null) await orStopped(running.controller.signal, () => own.ended.promise);
    return this.#run(running, new RunAccount(this.#parts.gate), ended, accept);
  }

  /**
   * Runs to the end: what was accepted, and then whatever arrived since the last drain, as long as runs finish and turns are left.
   * @param ended called in the same instant in which it is decided that nothing follows, so nothing arrives in between unseen.
   */
  async #run(running: Running, account: RunAccount, ended: () => void, accept: Accept): Promise<RunReport> {
    const { gate, unfinished } = this.#parts;
    const isAsked = running === this.#asked;
    let isCut = false;
    // A run of its own that could not begin is not tried again: whatever keeps it from the log would do so again.
    let leavesIdle = isAsked;
    try {
      const { signal } = running.controller;
      let mode = signal.aborted ? stopped : await accept(signal);
      if (mode === stopped) return account.report(asStopped({ kind: "cancelled" }, running));
      for (;;) {
        leavesIdle = false;
        isCut = true;
        const outcome = await this.#work(mode, running, account);
        isCut = running.stop !== null && outcome.kind !== "finished";
        leavesIdle = outcome.kind === "finished" && this.#turnsLeft(account) !== 0;
        if (!this.#goesOn(outcome, running, account)) return account.report(null);
        account.begin();
        mode = await acceptNotices(gate);
      }
    } finally {
      if (isCut) told(() => unfinished?.());
      ended();
      running.ended.resolve();
      // What arrived during a run that left the Pod as idle as it was has nobody else to begin the next one.
      if (leavesIdle) this.notified();
    }
  }

  /** A notification run follows. One that began by itself leaves what waits to a run that was asked for meanwhile. */
  #goesOn({ kind }: RunOutcome, running: Running, account: RunAccount): boolean {
    if (kind !== "finished" || running.stop !== null || running.isLate) return false;
    if (this.#turnsLeft(account) === 0) return false;
    return this.#parts.gate.state.inbox.length > 0 && (running === this.#asked || this.#asked === null);
  }

  /** Never negative: an answer without calls ends a run, also where it is one more than the limit. */
  #turnsLeft(account: RunAccount): number | null {
    const { maxTurns } = this.#parts;
    return maxTurns === null ? null : Math.max(0, maxTurns - account.turns);
  }

  #limitTime(running: Running, { timeoutMs, leftMs }: RunLimits): () => void {
    if (timeoutMs === null) return () => {};
    return this.#parts.timers.after(leftMs ?? timeoutMs, () =>
      stopFor(running, { by: "time", maxMs: timeoutMs }),
    );
  }

  /** From what is on record to the closing record. */
  async #work(mode: RunMode, running: Running, account: RunAccount): Promise<RunOutcome> {
    const { gate } = this.#parts;
    const outcome = ofAllTurns(await this.#worked(mode, running, account), this.#parts.maxTurns);
    await gate.append([closingRecord(outcome)]);
    account.end(outcome);
    return outcome;
  }

  async #worked(mode: RunMode, running: Running, account: RunAccount): Promise<RunOutcome> {
    const { gate, worker } = this.#parts;
    const maxTurns = this.#turnsLeft(account);
    const invoked = gate.state.run.state === "running" ? gate.state.run.since : -1;
    const ended = await worker.run({ mode, signal: running.controller.signal, maxTurns });
    // A run that delivers has nothing whole until it has delivered something.
    const isWhole =
      !hasUnfinishedTurn(gate) && (mode === "resume" || (gate.items.at(-1)?.seq ?? -1) > invoked);
    if (ended.kind !== "cancelled" || running.stop?.by !== "time" || !isWhole)
      return asStopped(ended, running);
    // The whole answer was on record when the time was up: only the end of its turn is left to do, and what stops the run now stops that.
    running.isLate = true;
    running.stop = null;
    running.controller = new AbortController();
    const { signal } = running.controller;
    return asStopped(await worker.run({ mode: "resume", signal, maxTurns }), running);
  }
}

function begun(): Running {
  return { controller: new AbortController(), stop: null, isLate: false, ended: Promise.withResolvers() };
}

function stopFor(running: Running, stop: RunStop): void {
  if (running.stop !== null) return;
  running.stop = stop;
  running.controller.abort();
}

function asStopped(outcome: RunOutcome, { stop }: Running): RunOutcome {
  return stop === null ? outcome : stoppedAs(outcome, stop);
}

/** A run that follows another one has what that left of the turns; what was reached is the limit of both. */
function ofAllTurns(outcome: RunOutcome, max: number | null): RunOutcome {
  return outcome.kind === "limit_reached" && outcome.limit === "turns" && max !== null
    ? { ...outcome, max }
    : outcome;
}
