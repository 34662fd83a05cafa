/** Rotator: moves a Pod to a new segment. First that is whole and durable, then the Pod's name refers to it: the one commit point. */
import { messageOf, YoiError } from "@yoi/base";
import {
  createReplay,
  type LogHead,
  type SegmentRef,
  type SessionState,
  type SessionStore,
} from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { SegmentPlan } from "../history/segment-plan.ts";
import type { OwnRecord } from "../spawn/own-record.ts";

/** Where the Pod is when nothing is on its way to the log any more. */
export interface RotateFrom {
  readonly ref: SegmentRef;
  readonly head: LogHead;
  readonly state: SessionState;
}

export interface RotatorOptions {
  readonly gate: HistoryGate;
  readonly sessions: Pick<SessionStore, "create" | "removeSegment">;
  readonly record: OwnRecord;
  readonly version: string;
}

export class Rotator {
  readonly #options: RotatorOptions;

  constructor(options: RotatorOptions) {
    this.#options = options;
  }

  /**
   * Calls `plan` while nothing is appended, and lets history go on in what it plans. Throws what keeps the segment or the pointer from being written: then the Pod is where
   * it was; `log_poisoned` where nobody can say where it is.
   */
  async rotate(plan: (from: RotateFrom) => SegmentPlan): Promise<void> {
    const { gate, sessions, version } = this.#options;
    await gate.rotate(async () => {
      const { ref, head, state } = gate;
      const { start, carried, behind } = plan({ ref, head, state });
      // The lease is the same, and so is the epoch.
      const opening = { metadataEpoch: state.epoch - 1, version };
      const { writer, entries } = await sessions.create(start, opening, { carried, behind });
      try {
        const replay = createReplay();
        for (const entry of entries) replay.apply(entry);
        await this.#refer(writer.ref);
        return { writer, replay, entries };
      } catch (error) {
        await writer.close().catch(() => {});
        // Left there it would be an orphan that no pointer names: nothing reads it.
        if (!isUnsure(error)) await sessions.removeSegment(writer.ref).catch(() => {});
        throw error;
      }
    });
  }

  /** Resolves when the pointer is at `next`, durably; throws when it certainly is not. */
  async #refer(next: SegmentRef): Promise<void> {
    const { record } = this.#options;
    const refer = () => record.update({ pointer: { state: "active", ...next }, closedHead: null });
    try {
      await refer();
    } catch (error) {
      const stored = await record.certain().catch((again: unknown) => {
        throw unsure(again);
      });
      if (stored.pointer.state !== "active" || stored.pointer.segment !== next.segment) throw error;
      // It is there, and a power cut may still take it back, with all that the new segment would hold by then.
      await refer().catch((again: unknown) => {
        throw unsure(again);
      });
    }
  }
}

function unsure(error: unknown): YoiError {
  return new YoiError(
    "log_poisoned",
    `The Pod was to go on in a new segment, and whether its metadata says so is not known, so this process writes nothing more: check the disk, then start the Pod again. (${messageOf(error)})`,
    { cause: error },
  );
}

function isUnsure(error: unknown): boolean {
  return error instanceof YoiError && error.code === "log_poisoned";
}
