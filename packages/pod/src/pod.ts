/** Pod: a named Worker. Verbs and read-only snapshots; nobody gets the Worker, a store or a writer from it. */
import {
  type Cost,
  type InputPart,
  type PodName,
  type PromptDocument,
  type SegmentId,
  type SessionId,
  type Usage,
  YoiError,
} from "@yoi/base";
import type { FeatureInstallReport } from "@yoi/feature";
import type { PendingApproval, PodAbout, PodState } from "@yoi/protocol";
import type { TailRepair } from "@yoi/session-store";
import type { Alert } from "./alert/alerts.ts";
import type { ApprovalAnswer } from "./approval/approvals.ts";
import { compactNow, undoCompactionNow } from "./compact-now.ts";
import type { CompactionReport } from "./compact/compaction.ts";
import type { BegunRun, Submitted } from "./drive/begun-run.ts";
import type { BeginOptions, RunLimits } from "./drive/drive.ts";
import type { RunReport } from "./drive/run-report.ts";
import type { Sending } from "./inbox/inbox.ts";
import type { Accepted } from "./inbox/submissions.ts";
import { openPod, type PodParts } from "./open-pod.ts";
import type { OpenPodOptions } from "./pod-options.ts";
import type { ListOptions } from "./rewind/list-targets.ts";
import type { RewindRequest, Rewound } from "./rewind/rewinder.ts";
import type { UndoneCompaction } from "./rewind/undo-compaction.ts";
import { servePod } from "./serve/pod-server.ts";
import { servedPod } from "./served.ts";
import type { PodServer, ServeOptions } from "./serve/serve-options.ts";
import { childWithToken } from "./spawn/child-token.ts";
import type { StoppedChildren } from "./spawn/children.ts";
import { type ListedHere, rewindTargets, takeBack } from "./take-back.ts";
import { ParentLine, type ParentLineOptions } from "./spawn/parent-line.ts";
import type { QueuedInput } from "./turn/input-queue.ts";

export interface PodSnapshot {
  readonly name: PodName;
  readonly session: SessionId;
  readonly segment: SegmentId;
  readonly state: PodState;
  readonly turns: number;
  readonly usage: Usage;
  readonly cost: Cost;
  readonly documents: readonly PromptDocument[];
  /** Names, in the order in which the model is told of them. */
  readonly tools: readonly string[];
  /** Notices that the model was not told of yet. */
  readonly waiting: number;
  /** Inputs that wait for their time. */
  readonly queued: number;
  /** Calls that wait for the user. */
  readonly approvals: number;
  /** Seq of the last entry on record. */
  readonly lastSeq: number;
}

export interface ParentReach {
  /** To the socket of the Pod of this name, wherever that is now. */
  readonly connect: (parent: PodName) => ReturnType<ParentLineOptions["connect"]>;
  readonly random: ParentLineOptions["random"];
}

const unlimited: RunLimits = { timeoutMs: null };

export class Pod {
  /** What the owner had to repair when it opened the log. */
  readonly repair: TailRepair | null;
  /** Processes of an earlier owner that were ended. */
  readonly straysEnded: number;
  readonly #name: PodName;
  readonly #parts: PodParts;
  #line: ParentLine | null = null;
  #closed: Promise<void> | null = null;

  private constructor(name: PodName, parts: PodParts) {
    this.#name = name;
    this.#parts = parts;
    this.repair = parts.session.repair;
    this.straysEnded = parts.straysEnded;
  }

  /** Takes the lease, then creates or restores the Pod. Fails as a whole: nothing is held afterwards. */
  static async open(options: OpenPodOptions): Promise<Pod> {
    return new Pod(options.name, await openPod(options));
  }

  get snapshot(): PodSnapshot {
    const { session, approvals, drive, tools } = this.#parts;
    const { state } = session.gate;
    return {
      name: this.#name,
      session: state.session,
      segment: state.segment,
      state: drive.state,
      turns: state.turnCount,
      usage: state.usage,
      cost: state.cost,
      documents: state.documents,
      tools: tools.definitions.map(({ name }) => name),
      waiting: state.inbox.length,
      queued: state.queue.length,
      approvals: approvals.pending.length,
      lastSeq: state.lastSeq,
    };
  }

  /** What became of each feature, as of now. */
  get features(): readonly FeatureInstallReport[] {
    return this.#parts.features.reports;
  }

  /** The last alerts, oldest first. */
  get alerts(): readonly Alert[] {
    return this.#parts.alerts.last;
  }

  /** What waits for the user and can be answered now, in log order. */
  get approvals(): readonly PendingApproval[] {
    return this.#parts.approvals.pending;
  }

  /**
   * Answers one of them; resolves with the seq of the answer once it is durable. Allowed, its call runs, or runs when the paused run is resumed. Throws
   * approval_unknown for what does not wait, or not any more, limit_exceeded for a reason over 512 characters, and usage, limit_exceeded and scope_conflict for what cannot be kept.
   */
  answerApproval(answer: ApprovalAnswer): Promise<number> {
    return this.#parts.approvals.answer(answer);
  }

  /** Runs one input to the run's end. The input is durable before the model is asked. */
  submit(parts: readonly InputPart[], limits: RunLimits = unlimited): Promise<RunReport> {
    return this.#parts.drive.submit(parts, limits);
  }

  /**
   * Resolves when the input is durable, while its run goes on. With a `submission` it comes in once, also over restarts: a repeat begins nothing and
   * gives the id of the first time. From the call on the run can be stopped. Throws already_running, prompt_empty, prompt_refused, and
   * submission_conflict where the name came in with something else.
   */
  begin(parts: readonly InputPart[], options: BeginOptions = { limits: unlimited }): Promise<Submitted> {
    return this.#parts.drive.begin(parts, options);
  }

  /** As `resume`, but resolves when the run is on record, while it goes on. */
  beginResume(limits: RunLimits = unlimited): Promise<BegunRun> {
    return this.#parts.drive.beginResume(limits);
  }

  /** The places that the session can go back to, newest first, over all segments that it ever ran on. Throws target_unknown for an `olderThan` that is no id. */
  rewindTargets(options: Omit<ListOptions, "isReadOnly">): Promise<ListedHere> {
    return rewindTargets(this.#parts, options);
  }

  /**
   * Lets history go on from an earlier entry, or from one that was left before: as if the process had died right behind that, but for what only grows or was promised (spending,
   * submissions, notices). Nothing is taken out of any log. Throws already_running, rewind_refused, target_unknown, cancelled, or what the log throws.
   */
  rewind(request: RewindRequest): Promise<Rewound> {
    return takeBack(this.#parts, request);
  }

  /** Goes on with a paused, interrupted or otherwise unfinished turn. Throws nothing_to_resume when there is none. */
  resume(limits: RunLimits = unlimited): Promise<RunReport> {
    return this.#parts.drive.resume(limits);
  }

  /**
   * Tells the model something: durable when it resolves, and in history before the next request, or the one after where much waits. An idle Pod that has
   * `beginsOwnRuns` runs to take it in; a paused one does with its next run. While the Pod closes it waits for the next owner. With a `submission` it comes in
   * once. Throws inbox_full, submission_conflict, and limit_exceeded for a message over 16 KiB, a source over 128 characters or a reason over 512.
   */
  notify(notice: Sending): Promise<Accepted> {
    return this.#parts.notify(notice);
  }

  /**
   * An input for later: durable when it resolves, and given to the model once. boundary: with the next request of the run that goes on. run_end: as the input of the next
   * run, once this one has finished. Behind a run that ends otherwise it waits for the user, and while the Pod is idle it begins a run, where the Pod has
   * `beginsOwnRuns`. Throws queue_full, prompt_empty, prompt_refused, submission_conflict, cancelled.
   */
  queue(input: QueuedInput): Promise<Accepted> {
    return this.#parts.queue(input);
  }

  /** Takes an input back that waits still: what it said. Throws target_unknown where the model was given it, or it was taken back. */
  unqueue(id: string): Promise<readonly InputPart[]> {
    return this.#parts.unqueue(id);
  }

  /**
   * Ends the current run as cancelled, or where nothing of an answer to its input has come as rolled back: then the input is not in history any more.
   * False, and nothing is done: nothing runs, or another run than the one whose `invoke` has this id.
   */
  cancel(run: string | null = null): boolean {
    return this.#parts.drive.stop("cancel", run);
  }

  /** The same as paused: it can be resumed, also by the next owner. */
  pause(run: string | null = null): boolean {
    return this.#parts.drive.stop("pause", run);
  }

  /** The process was told to end: the current run ends as paused and can be resumed, its input included. */
  interrupt(): void {
    this.#parts.drive.interrupt();
  }

  /**
   * Lets clients in, from when it resolves on, until the Pod closes: then a run that goes on ends first, and clients are told how; the place where they
   * connect is given back before the lease is. Throws what `listen` throws.
   */
  async serve({ about, ...options }: ServeOptions & { readonly about: PodAbout }): Promise<PodServer> {
    const { held, drive, commands } = this.#parts;
    const server = await servePod(servedPod(this.#name, about, this.#parts), options);
    if (this.#closed !== null) {
      await server.close();
      throw new YoiError("cancelled", "This Pod is closing: nobody can connect to it any more.");
    }
    held.defer(() => server.close());
    held.defer(async () => {
      server.refuse();
      // Clients are told how a run and commands ended.
      await Promise.all([drive.close(), commands.close()]);
    });
    return server;
  }

  /**
   * Runs a command of the user in the Pod's shell: resolves when it is on record, which is before it begins. What came of it the model is told with its next request; it begins no
   * run. The same submission again, also of another owner, runs nothing. Throws as `UserCommands.run`.
   */
  runCommand(command: string, submission: string): Promise<Accepted> {
    return this.#parts.commands.run(command, submission);
  }

  /**
   * Makes the history that the model reads smaller now, whatever its size: with a summary of a model's, or by rules. `cancel` ends it, and then history is as it was. Throws
   * already_running, compaction_failed where nothing can be gained, calls have no result yet or it was stopped, cancelled, or what the log throws.
   */
  compact(): Promise<CompactionReport> {
    return compactNow(this.#parts);
  }

  /** Goes on from the history that the last compaction replaced. Throws already_running, target_unknown where there was none, cancelled, or what the log throws. */
  undoCompaction(): Promise<UndoneCompaction> {
    return undoCompactionNow(this.#parts);
  }

  /** The child with an open loan whose token has this digest; null: none. For whoever lets clients in. */
  childOf(digest: string): PodName | null {
    return childWithToken(this.#parts.session.record.current.children, digest);
  }

  /**
   * Of a hosted child: tells its parent from now on when to look at its log, until the Pod is closed. Nothing of what becomes of that disturbs it. Does
   * nothing for a Pod that has no parent.
   */
  reachParent({ connect, random }: ParentReach): void {
    const { session, watch, timers } = this.#parts;
    const { parent } = session.record.current;
    if (parent === null || this.#closed !== null || this.#line !== null) return;
    const line = new ParentLine({
      name: this.#name,
      token: parent.token,
      connect: () => connect(parent.pod),
      timers,
      random,
    });
    this.#line = line;
    watch({
      committed: (entries) => {
        if (entries.some(({ kind }) => kind === "approval_asked" || kind === "approval_answered"))
          line.tell("changed");
      },
      event: (event) => {
        if (event.type === "state") line.tell("changed");
        else if (event.type === "run_failed") line.tell("errored");
        else if (event.type === "run_ended")
          line.tell(event.report.outcome.kind === "failed" ? "errored" : "turn_ended");
      },
    });
  }

  /** Those with an open loan from it. */
  get children(): readonly PodName[] {
    return this.#parts.children.open.map(({ name }) => name);
  }

  /**
   * The orderly end of its children, for whoever hosts it, before `close`: each ends those below it first; what does not end in time is killed; then what they
   * were lent is taken back. From the call on none is begun. Never throws.
   */
  async stopChildren(): Promise<StoppedChildren> {
    // What its model is told of them waits for the next owner: it begins no run.
    await this.#parts.drive.close();
    return this.#parts.children.stopAll();
  }

  /**
   * The orderly close; a run that still goes on ends as interrupted. Idempotent. What fails in it keeps nothing else from being given back.
   * @param shutdown why a Pod that was hosted ends, in a few words: a child's log says so for its parent, which is told to look once the lease is given back.
   */
  close(shutdown?: string): Promise<void> {
    this.#closed ??= this.#close(shutdown ?? null);
    return this.#closed;
  }

  async #close(shutdown: string | null): Promise<void> {
    this.#parts.shutdown.reason = shutdown;
    try {
      await this.#parts.held.disposeAsync();
    } finally {
      await this.#line?.end();
    }
  }
}
