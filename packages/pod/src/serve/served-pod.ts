/** ServedPod: what the server of a Pod may do with it. Narrow on purpose: no log, no worker, no store. */
import type { InputPart, LogEntry, PodName } from "@yoi/base";
import type {
  ChildEvent,
  CompactResult,
  CompletePathParams,
  CompletePathResult,
  ListRewindTargetsParams,
  ListRewindTargetsResult,
  PendingApproval,
  PodAbout,
  PodState,
  PodView,
  RestorePodResult,
  RewindParams,
  RewindResult,
  Rotation,
  UndoCompactionResult,
} from "@yoi/protocol";
import type { RecordedEntry, SessionState } from "@yoi/session-store";
import type { Alert } from "../alert/alerts.ts";
import type { ApprovalAnswer } from "../approval/approvals.ts";
import type { BegunRun, Submitted } from "../drive/begun-run.ts";
import type { RunLimits } from "../drive/drive.ts";
import type { PodEvent } from "../drive/pod-event.ts";
import type { ShownLive } from "../drive/watchers.ts";
import type { Notice } from "../inbox/inbox.ts";
import type { Accepted } from "../inbox/submissions.ts";
import type { QueuedInput } from "../turn/input-queue.ts";
import type { RecordsFrom } from "./segment-trail.ts";

/** What a view shows beside history, as it is now. */
export type Present = Pick<PodView, "title" | "commands" | "panels" | "children"> &
  Required<Pick<PodView, "context" | "spent">>;

export interface ServedPod {
  readonly name: PodName;
  readonly about: PodAbout;
  /** The fold over the log, as a read-only live view. */
  readonly state: SessionState;
  readonly driveState: PodState;
  readonly alerts: readonly Alert[];
  /** What can be answered now, in log order. */
  readonly approvals: readonly PendingApproval[];
  readonly present: Present;
  /** It came in before: it is on record, or being accepted. */
  knowsSubmission(name: string): boolean;
  /**
   * Resolves when it is durable. The same name twice: nothing begins, and the id is that of the first time. An id of null, of the run or of the repeat:
   * it was stopped before it was on record, and nothing of it is kept. Throws already_running, submission_conflict, prompt_empty, prompt_refused.
   */
  begin(
    parts: readonly InputPart[],
    options: { readonly limits: RunLimits; readonly submission: string },
  ): Promise<Submitted>;
  /** Throws nothing_to_resume. */
  beginResume(limits: RunLimits): Promise<BegunRun>;
  notify(notice: Notice & { readonly submission: string }): Promise<Accepted>;
  /** Resolves when it is durable. Throws queue_full, prompt_empty, prompt_refused, submission_conflict, cancelled. */
  queue(input: QueuedInput): Promise<Accepted>;
  /** What it said, once that is durable. Throws target_unknown. */
  unqueue(id: string): Promise<readonly InputPart[]>;
  /** False: nothing runs, or another run than the one named. */
  stop(kind: "cancel" | "pause", run: string | null): boolean;
  /** Resolves with the seq of the durable answer. Throws approval_unknown, and usage, limit_exceeded and scope_conflict for what cannot be kept. */
  answerApproval(answer: ApprovalAnswer): Promise<number>;
  /** A child says that something happened to it, or its connection ended. A hint: what follows from it is read from its log, and not waited for here. */
  hear(child: PodName, event: ChildEvent | "left"): void;
  /** Throws child_unknown, loan_refused, scope_conflict, and what keeps its process from beginning. */
  restoreChild(name: PodName): Promise<RestorePodResult>;
  /**
   * Resolves when it is on record; what came of it the model is told with its next request. The same name twice: nothing is run. Throws usage, limit_exceeded,
   * sandbox_missing, inbox_full, submission_conflict.
   */
  runCommand(command: string, submission: string): Promise<Accepted>;
  /** Of what the Pod may read; empty for what is not there, or outside. */
  completePath(params: CompletePathParams): Promise<CompletePathResult>;
  /** Throws not_running. */
  stopCommand(id: string): void;
  /** Resolves when it is on record. Throws usage and limit_exceeded for what is no title. */
  setTitle(title: string | null): Promise<void>;
  /** Resolves when it is on record. Throws usage for the Pod itself, and limit_exceeded. */
  setPeer(name: PodName, isPeer: boolean): Promise<void>;
  /** Resolves when history goes on in the smaller one. Throws already_running, compaction_failed, cancelled. */
  compact(): Promise<CompactResult>;
  /** Throws target_unknown, and what keeps a log from being read. */
  listRewindTargets(params: ListRewindTargetsParams): Promise<ListRewindTargetsResult>;
  /** Throws already_running, rewind_refused, target_unknown, cancelled. */
  rewind(params: RewindParams): Promise<RewindResult>;
  /** Throws already_running, compaction_failed where there is none to undo, cancelled. */
  undoCompaction(): Promise<UndoCompactionResult>;
  /** Told of every batch once it is durable and in `state`, and of every event, in the order in which they happen. Returns how to stop listening. */
  watch(listener: {
    readonly committed: (entries: readonly LogEntry[]) => void;
    readonly event: (event: PodEvent) => void;
    /** History goes on in another segment, which begins with these entries: `state` is that of it. */
    readonly rotated: (entries: readonly LogEntry[]) => void;
    readonly shown: (live: ShownLive) => void;
  }): () => void;
  /** To each segment that the Pod went on in since it left this one, oldest first; null: it never ran on it. */
  since(segment: string): Promise<readonly Rotation[] | null>;
  /** Entries of a segment that it ran on, up to the last one in `state`. */
  records(from: RecordsFrom): Promise<readonly RecordedEntry[]>;
}
