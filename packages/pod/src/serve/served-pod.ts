/** ServedPod: what the server of a Pod may do with it. Narrow on purpose: no log, no worker, no store. */
import type { InputPart, LogEntry, PodName } from "@yoi/base";
import type { ChildEvent, PendingApproval, PodAbout, PodState, RestorePodResult } from "@yoi/protocol";
import type { RecordedEntry, SessionState } from "@yoi/session-store";
import type { Alert } from "../alert/alerts.ts";
import type { BegunRun, Submitted } from "../drive/begun-run.ts";
import type { RunLimits } from "../drive/drive.ts";
import type { PodEvent } from "../drive/pod-event.ts";
import type { Notice } from "../inbox/inbox.ts";
import type { Accepted } from "../inbox/submissions.ts";

export interface ServedPod {
  readonly name: PodName;
  readonly about: PodAbout;
  /** The fold over the log, as a read-only live view. */
  readonly state: SessionState;
  readonly driveState: PodState;
  readonly alerts: readonly Alert[];
  /** What can be answered now, in log order. */
  readonly approvals: readonly PendingApproval[];
  /** It came in before: it is on record, or being accepted. */
  knowsSubmission(name: string): boolean;
  /**
   * Resolves when it is durable. The same name twice: nothing begins, and the seq is that of the first time. A seq of null, of the run or of the repeat:
   * it was stopped before it was on record, and nothing of it is kept. Throws already_running, submission_conflict, prompt_empty, prompt_refused.
   */
  begin(
    parts: readonly InputPart[],
    options: { readonly limits: RunLimits; readonly submission: string },
  ): Promise<Submitted>;
  /** Throws nothing_to_resume. */
  beginResume(limits: RunLimits): Promise<BegunRun>;
  notify(notice: Notice & { readonly submission: string }): Promise<Accepted>;
  /** False: nothing runs, or another run than the one named. */
  stop(kind: "cancel" | "pause", run: number | null): boolean;
  /** Resolves with the seq of the durable answer. Throws approval_unknown. */
  answerApproval(answer: {
    readonly digest: string;
    readonly answer: "allow" | "deny";
    readonly reason: string | null;
  }): Promise<number>;
  /** A child says that something happened to it, or its connection ended. A hint: what follows from it is read from its log, and not waited for here. */
  hear(child: PodName, event: ChildEvent | "left"): void;
  /** Throws child_unknown, loan_refused, scope_conflict, and what keeps its process from beginning. */
  restoreChild(name: PodName): Promise<RestorePodResult>;
  /** Resolves when it is on record. Throws usage for the Pod itself, and limit_exceeded. */
  setPeer(name: PodName, isPeer: boolean): Promise<void>;
  /** Told of every batch once it is durable and in `state`, and of every event, in the order in which they happen. Returns how to stop listening. */
  watch(listener: {
    readonly committed: (entries: readonly LogEntry[]) => void;
    readonly event: (event: PodEvent) => void;
  }): () => void;
  /** Entries up to the last one in `state`, from `seq` on, as `SegmentWriter.records` reads them. */
  records(seq: number, bytesMax: number, orOne: boolean): Promise<readonly RecordedEntry[]>;
}
