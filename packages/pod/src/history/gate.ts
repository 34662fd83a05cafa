/** The gate: the one door into a Pod's history. What goes in is durable first; what is seen is the fold over what went in. */
import { type Entry, type EntryBody, type LogEntry, YoiError } from "@yoi/base";
import type {
  LogHead,
  RecordedEntry,
  Replay,
  SegmentRef,
  SegmentWriter,
  SessionState,
} from "@yoi/session-store";
import type { History } from "@yoi/worker";

/** Told of every batch once it is durable and in history. Must not throw. */
export type CommitListener = (entries: readonly Entry[]) => void;
/** Told when history goes on in another segment, with all that this holds already. Must not throw. */
export type RotateListener = (entries: readonly LogEntry[]) => void;

/** A segment that history is to go on in. */
export interface NextSegment {
  readonly writer: SegmentWriter;
  readonly replay: Replay;
  /** What it holds already. */
  readonly entries: readonly LogEntry[];
}

/**
 * Live history as the same fold that replay uses: an entry is applied exactly when it came back from the log, in log order.
 * It is never rolled back, edited or reordered here; another segment takes its place as a whole.
 */
export class HistoryGate implements History {
  #writer: SegmentWriter;
  #replay: Replay;
  readonly #listeners = new Set<CommitListener>();
  readonly #rotateListeners = new Set<RotateListener>();
  /** Appends on their way to the log. */
  readonly #onTheWay = new Set<Promise<unknown>>();
  #rotating: Promise<void> | null = null;
  /** Why nothing is written any more. */
  #stopped: YoiError | null = null;

  constructor(writer: SegmentWriter, replay: Replay) {
    this.#writer = writer;
    this.#replay = replay;
  }

  /** The fold, as a read-only live view; another one behind a rotation. */
  get state(): SessionState {
    return this.#replay.state;
  }
  /** The segment that is written. */
  get ref(): SegmentRef {
    return this.#writer.ref;
  }
  get head(): LogHead {
    return this.#writer.head;
  }

  get items() {
    return this.#replay.state.items;
  }
  get lastSeq() {
    return this.#replay.state.lastSeq;
  }
  get unanswered() {
    return this.#replay.state.unanswered;
  }
  get approvals() {
    return this.#replay.state.approvals;
  }
  get partials() {
    return this.#replay.state.partials;
  }
  get measured() {
    return this.#replay.state.measured;
  }
  get projection() {
    return this.#replay.state.projection;
  }
  get turnCount() {
    return this.#replay.state.turnCount;
  }
  get pausesInRow() {
    return this.#replay.state.pausesInRow;
  }
  get calibration() {
    return this.#replay.state.calibration;
  }
  get generation() {
    return this.#replay.state.generation;
  }

  /** @returns how to stop listening. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @returns how to stop listening. */
  onRotate(listener: RotateListener): () => void {
    this.#rotateListeners.add(listener);
    return () => this.#rotateListeners.delete(listener);
  }

  /** As `SegmentWriter.records`, but none that is not in history yet. */
  async records(from: number, bytesMax: number, orOne: boolean): Promise<readonly RecordedEntry[]> {
    const replay = this.#replay;
    const records = await this.#writer.records(from, bytesMax, orOne);
    return records.filter(({ seq }) => seq <= replay.state.lastSeq);
  }

  /** Resolves when no rotation goes on: what is appended in that very moment lands in the segment that is seen. */
  async still(): Promise<void> {
    while (this.#rotating !== null) await this.#rotating;
  }

  /** As `SegmentWriter.append`; behind a rotation that goes on it lands in the new segment. */
  async append(bodies: readonly EntryBody[]): Promise<readonly Entry[]> {
    if (this.#rotating !== null) await this.still();
    if (this.#stopped !== null) throw this.#stopped;
    const appending = this.#writer.append(bodies);
    this.#onTheWay.add(appending);
    try {
      const entries = await appending;
      for (const entry of entries) this.#replay.apply(entry);
      for (const listener of this.#listeners) listener(entries);
      return entries;
    } finally {
      this.#onTheWay.delete(appending);
    }
  }

  /**
   * Lets history go on in the segment that `make` gives, once that is durable and the Pod's name refers to it. Nothing is appended from before `make` is called until the
   * new segment is in place. What `make` throws is thrown, and history goes on where it was; a `log_poisoned` ends it. One at a time.
   */
  async rotate(make: () => Promise<NextSegment>): Promise<void> {
    if (this.#rotating !== null) throw new Error("history is being rotated already");
    const done = Promise.withResolvers<void>();
    this.#rotating = done.promise;
    try {
      while (this.#onTheWay.size > 0) await Promise.allSettled(this.#onTheWay);
      const old = this.#writer;
      const { writer, replay, entries } = await make();
      this.#writer = writer;
      this.#replay = replay;
      for (const listener of this.#rotateListeners) listener(entries);
      // All of it is durable: a handle that cannot be closed takes nothing back of what is done.
      await old.close().catch(() => {});
    } catch (error) {
      if (error instanceof YoiError && error.code === "log_poisoned") this.#stopped = error;
      throw error;
    } finally {
      this.#rotating = null;
      done.resolve();
    }
  }

  /** Waits for what was appended, then closes. Later appends are refused. */
  async close(): Promise<void> {
    await this.still();
    await this.#writer.close();
  }
}
