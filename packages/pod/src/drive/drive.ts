/** Drive: the one state machine of a Pod. Nothing else decides what runs next. */
import { entryId, type InputPart, YoiError, orStopped, stopped } from "@yoi/base";
import type { PodState } from "@yoi/protocol";
import { type RunOutcome, told } from "@yoi/worker";
import {
  acceptInput,
  type AcceptedRun,
  acceptNotices,
  acceptQueued,
  acceptResume,
  resumed,
} from "../turn/accept-input.ts";
import { closingRecord, type RunStop, type StopKind } from "../turn/close-run.ts";
import { alreadyRunning, stoppedBefore } from "../turn/state-sentences.ts";
import type { BegunRun, Submitted } from "./begun-run.ts";
import type { BeginOptions, DriveEvent, DriveParts, RunLimits } from "./drive-parts.ts";
import { type LimitsLeft, limitsLeft, unbounded } from "./limits-left.ts";
import { PauseTimer, type Wait, waitOf } from "./pause-timer.ts";
import { takesBack } from "./roll-back.ts";
import { RunAccount, type RunReport } from "./run-report.ts";
import { Running } from "./running.ts";
import { workRun } from "./work-run.ts";

export type { BeginOptions, DriveEvent, DriveParts, RunLimits } from "./drive-parts.ts";
export type { RunReport } from "./run-report.ts";

/** How a run comes on record. */
type Accept = (signal: AbortSignal) => Promise<AcceptedRun | typeof stopped>;

/**
 * At most one run works at a time: one that was asked for, or one that began by itself because something was accepted while the Pod was idle.
 * Whoever asks during the latter waits for its end and goes before everything else that waits.
 */
export class Drive {
  readonly #parts: DriveParts;
  #asked: Running | null = null;
  #own: Running | null = null;
  #closing: Promise<void> | null = null;
  #toldState: PodState;
  readonly #pause: PauseTimer;
  /** What ran last here. */
  #last: Running | null = null;
  /** Of that, where it waits. */
  #left: LimitsLeft = unbounded;

  constructor(parts: DriveParts) {
    this.#parts = parts;
    this.#toldState = this.state;
    const { clock, timers } = parts;
    this.#pause = new PauseTimer({ clock, timers, wait: () => this.#wait(), goOn: () => this.#goOn().begun });
    // While an own run goes on the asked one waits.
    parts.gate.onCommit((entries) => {
      for (const { kind, seq } of entries)
        if (kind === "invoke") (this.#own ?? this.#asked)?.invoked(this.#idOf(seq));
    });
  }

  /** `running` also while an asked run waits for the end of one that began by itself. */
  get state(): PodState {
    if (this.#asked !== null || this.#own !== null) return "running";
    return this.#parts.gate.state.run.state === "paused" ? "paused" : "idle";
  }

  /**
   * A new input: resolves when it is durable, while its run goes on. From the call on it can be stopped; a repeat of a submission shares what becomes
   * of the first. Throws already_running, prompt_empty, prompt_refused, submission_conflict, cancelled (the Pod is closing), or what the log throws.
   */
  async begin(parts: readonly InputPart[], { limits, submission }: BeginOptions): Promise<Submitted> {
    const { gate, input, submissions } = this.#parts;
    const given = { parts, ...(submission === undefined ? {} : { submission }) };
    const begun: { run: BegunRun | null } = { run: null };
    const accept = async () => {
      begun.run = await this.#ask(limits, (signal) => acceptInput(gate, given, input, signal));
      return begun.run.id;
    };
    if (submission === undefined) await accept();
    else {
      const { duplicate, id } = await submissions.once(submission, parts, accept);
      if (duplicate) return { duplicate, id };
    }
    if (begun.run === null) throw new Error("an input was accepted without a run");
    return { duplicate: false, run: begun.run };
  }

  /** Goes on with the same turn; resolves when that is on record. Throws nothing_to_resume, already_running, cancelled, or what the log throws. */
  beginResume(limits: RunLimits): Promise<BegunRun> {
    const { gate, queue, forgetLimits } = this.#parts;
    return this.#ask(limits, async (signal) => {
      // Whoever asks for it knows better, or wants to know.
      await forgetLimits?.();
      return acceptResume(gate, queue, signal);
    });
  }

  /** A new input, run to its end. */
  async submit(parts: readonly InputPart[], limits: RunLimits): Promise<RunReport> {
    const begun = await this.begin(parts, { limits });
    if (begun.duplicate) throw new Error("an input without a name was taken for a repeat");
    return begun.run.ended;
  }

  /** Goes on with the same turn, to its end. */
  async resume(limits: RunLimits): Promise<RunReport> {
    return (await this.beginResume(limits)).ended;
  }

  /**
   * Work beside which no run goes on, such as a compaction by hand: the Pod is `running` meanwhile, and what stops a run stops it. Throws already_running, cancelled, and
   * what the work throws.
   */
  async alone<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { running, left } = await this.#take({ timeoutMs: null });
    try {
      if (running.signal.aborted) throw new YoiError("cancelled", stoppedBefore);
      return await work(running.signal);
    } finally {
      left();
      running.ended.resolve();
      this.notified();
      this.#tellState();
    }
  }

  /**
   * Something was accepted into the inbox, or into the queue. While the Pod is idle a run begins that delivers it; otherwise the run that goes on does, or one that begins
   * behind it, also where that finished with its last turn: the new one has all of them. Of the queue each run takes the first, with those that are for the next
   * request. Behind a run that somebody cancelled, that failed or that reached a limit, a notice waits for the next notice or run, and the queue for the user; where
   * calls wait to be gone on with, as behind a pause, notices wait for a run that somebody asks for: one that begins by itself would close them.
   */
  notified(): void {
    const { gate, queue, beginsOwnRuns = false } = this.#parts;
    if (!beginsOwnRuns || this.#closing !== null) return;
    this.#pause.look();
    if (this.state !== "idle") return;
    const { unanswered } = gate.state;
    if (queue.isReady) this.#beginOwn((signal) => this.#acceptQueued(signal));
    else if (this.#hasNews() && unanswered.every(({ started }) => started))
      this.#beginOwn(() => acceptNotices(gate));
  }

  /** Of a run of its own. Where it is stopped before its input is on record, that is: else what waits would go on against the user's word. */
  async #acceptQueued(signal: AbortSignal): Promise<AcceptedRun | typeof stopped> {
    const { gate, queue } = this.#parts;
    const accepted = await acceptQueued(gate, queue, signal);
    if (accepted === stopped && takesBack(this.#own?.stop ?? null)) await this.#holdQueue();
    return accepted ?? stopped;
  }

  /** What waits goes on only once the user says so: on record as a run that was cancelled before it had an input. */
  async #holdQueue(): Promise<void> {
    const cancelled = closingRecord({ kind: "cancelled" });
    await this.#parts.gate.append([{ kind: "invoke", trigger: "user_send" }, cancelled]);
  }

  /** `begun` rejects where it did not come on record. */
  #beginOwn(accept: Accept, { limits, turnsBefore } = unbounded): OwnRun {
    const { clock, gate } = this.#parts;
    const running = new Running();
    const begunMs = clock.now();
    this.#own = running;
    this.#tellState();
    const account = new RunAccount(gate, "now", turnsBefore);
    const endTimer = this.#limitTime(running, limits);
    const left = () => {
      endTimer();
      this.#own = null;
    };
    const begun = this.#begin({ running, begunMs, account, left, limits }, accept);
    // Whoever watches is told of a failure.
    begun.catch(() => {});
    return { running, begun };
  }

  /** The pause that ends by itself; null: there is none, or this Pod begins nothing by itself. */
  #wait(): Wait | null {
    const { gate, beginsOwnRuns = false } = this.#parts;
    return beginsOwnRuns && this.#closing === null && this.state === "paused" ? waitOf(gate.state) : null;
  }

  #goOn(): OwnRun {
    return this.#beginOwn(() => resumed(this.#parts.gate, "pod"), this.#left);
  }

  /**
   * Ends what runs as `kind` at the worker's next await, or a wait for the provider or the network. False: nothing runs, or not the run whose `invoke` has that
   * id; nothing comes of it then, so a stale stop cannot hit the next run.
   */
  stop(kind: StopKind, run: string | null = null): boolean {
    if (this.#stop({ by: kind }, run)) return true;
    if (this.#wait() === null || !(run === null || this.#last?.isNamed(run) === true)) return false;
    // Its end stands in the log as that of any run that somebody stopped.
    this.#goOn().running.stopFor({ by: kind });
    return true;
  }

  /** The process was told to end: what runs ends as paused. Its input stays, also where nothing of an answer has come. */
  interrupt(): void {
    this.#stop({ by: "signal" }, null);
  }

  /** At once nothing begins any more, and what runs ends as interrupted. Resolves when it has ended. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      const running = [this.#own, this.#asked];
      this.#stop({ by: "close" }, null);
      for (const one of running) await one?.ended.promise;
    })();
    this.#pause.look();
    return this.#closing;
  }

  #stop(stop: RunStop, run: string | null): boolean {
    const hit = [this.#own, this.#asked].filter((one) => one !== null && (run === null || one.isNamed(run)));
    for (const running of hit) running?.stopFor(stop);
    return hit.length > 0;
  }

  async #ask(limits: RunLimits, accept: Accept): Promise<BegunRun> {
    const taken = await this.#take(limits);
    const account = new RunAccount(this.#parts.gate, "input");
    return this.#begin({ ...taken, account, limits }, accept);
  }

  /** Whoever is asked for from here on is refused; what began by itself has ended on return. */
  async #take(limits: RunLimits): Promise<Taken> {
    if (this.#closing !== null) throw new YoiError("cancelled", "This Pod is closing: open it again to run.");
    if (this.#asked !== null) throw new YoiError("already_running", alreadyRunning);
    const running = new Running();
    const begunMs = this.#parts.clock.now();
    this.#asked = running;
    this.#tellState();
    const endTimer = this.#limitTime(running, limits);
    const left = () => {
      endTimer();
      this.#asked = null;
    };
    const own = this.#own;
    if (own !== null) await orStopped(running.signal, () => own.ended.promise);
    return { running, begunMs, left };
  }

  /** Puts the run on record. It goes on from there by itself. */
  async #begin(way: Way, accept: Accept): Promise<BegunRun> {
    const { running, account } = way;
    let accepted: AcceptedRun | typeof stopped;
    try {
      accepted = running.signal.aborted ? stopped : await accept(running.signal);
    } catch (error) {
      // Whoever asked is told by the throw.
      if (running !== this.#asked) this.#tell({ type: "run_failed", run: null, error });
      // A run of its own that could not begin is not tried again: whatever keeps it from the log would do so again.
      this.#leave(way, running === this.#asked);
      throw error;
    }
    if (accepted === stopped) {
      const report = account.report(running.asStopped({ kind: "cancelled" }));
      this.#leave(way, running === this.#asked, { type: "run_ended", run: null, report });
      return { id: null, ended: Promise.resolve(report) };
    }
    const ended = this.#run(way, accepted);
    // Whoever watches is told of a failure too.
    ended.catch(() => {});
    return { id: this.#idOf(accepted.invoke), ended };
  }

  /** Runs to the end: what was accepted, and then whatever arrived since the last drain, as long as runs finish and turns are left. */
  async #run(way: Way, first: AcceptedRun): Promise<RunReport> {
    const { running, account } = way;
    const { gate, queue, unfinished } = this.#parts;
    const run = this.#idOf(first.invoke);
    let accepted = first;
    let isCut = true;
    try {
      for (;;) {
        isCut = true;
        const outcome = await workRun(this.#parts, accepted, running, account);
        isCut = running.stop !== null && outcome.kind !== "finished";
        if (!this.#goesOn(outcome, running, account)) {
          if (isCut) told(() => unfinished?.());
          const leavesIdle = outcome.kind === "finished";
          // Stopped in the instant in which it finished: whoever stopped it wants nothing of theirs to follow.
          if (leavesIdle && takesBack(running.stop) && queue.isReady) await this.#holdQueue();
          const report = account.report(null);
          this.#left = waitOf(gate.state) === null ? unbounded : this.#limitsLeft(way);
          this.#leave(way, leavesIdle, { type: "run_ended", run, report });
          return report;
        }
        isCut = false;
        account.begin();
        accepted = await acceptNotices(gate);
      }
    } catch (error) {
      if (isCut) told(() => unfinished?.());
      this.#leave(way, false, { type: "run_failed", run, error });
      throw error;
    }
  }

  /** In the instant in which it is decided that nothing follows, so nothing arrives in between unseen. */
  #leave({ running, account, left }: Way, leavesIdle: boolean, event?: DriveEvent): void {
    left();
    this.#last = running;
    account.close();
    running.ended.resolve();
    if (event !== undefined) this.#tell(event);
    // What arrived during a run that left the Pod as idle as it was has nobody else to begin the next one.
    if (leavesIdle) this.notified();
    this.#tellState();
  }

  /** Of an entry of the segment that is written. */
  #idOf(seq: number): string {
    return entryId(this.#parts.gate.generation, seq);
  }

  #tell(event: DriveEvent): void {
    told(() => this.#parts.observe?.(event));
  }

  #tellState(): void {
    const { state } = this;
    this.#pause.look();
    if (state === this.#toldState) return;
    this.#toldState = state;
    this.#tell({ type: "state", state });
  }

  /** A notification run follows. One that began by itself leaves what waits to a run that was asked for meanwhile. */
  #goesOn({ kind }: RunOutcome, running: Running, account: RunAccount): boolean {
    if (kind !== "finished" || running.stop !== null || running.isLate) return false;
    if (account.turnsLeft(this.#parts.maxTurns) === 0) return false;
    // What the user gave is a run of its own, which is told of them too.
    if (this.#parts.beginsOwnRuns === true && this.#parts.queue.isReady) return false;
    return this.#hasNews() && (running === this.#asked || this.#asked === null);
  }

  /** Something waits that begins a run; what is quiet is told with it. */
  #hasNews(): boolean {
    return this.#parts.gate.state.inbox.some(({ quiet }) => quiet !== true);
  }

  #limitsLeft({ limits, begunMs, account }: Way): LimitsLeft {
    const workedMs = this.#parts.clock.now() - begunMs;
    return { limits: limitsLeft(limits, workedMs), turnsBefore: account.turnsCounted };
  }

  #limitTime(running: Running, { timeoutMs, leftMs }: RunLimits): () => void {
    if (timeoutMs === null) return () => {};
    return this.#parts.timers.after(leftMs ?? timeoutMs, () =>
      running.stopFor({ by: "time", maxMs: timeoutMs }),
    );
  }
}

interface OwnRun {
  readonly running: Running;
  readonly begun: Promise<BegunRun>;
}

interface Taken {
  readonly running: Running;
  /** From when on its limits count. */
  readonly begunMs: number;
  /** It is not what runs any more. */
  readonly left: () => void;
}

/** One run on its way. */
interface Way extends Taken {
  readonly limits: RunLimits;
  readonly account: RunAccount;
}
