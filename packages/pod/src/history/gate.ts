/** The gate: the one door into a Pod's history. What goes in is durable first; what is seen is the fold over what went in. */
import type { Entry, EntryBody } from "@yoi/base";
import type { RecordedEntry, Replay, SegmentWriter, SessionState } from "@yoi/session-store";
import type { History } from "@yoi/worker";

/** Told of every batch once it is durable and in history. Must not throw. */
export type CommitListener = (entries: readonly Entry[]) => void;

/**
 * Live history as the same fold that replay uses: an entry is applied exactly when it came back from the log, in log order.
 * It is never rolled back, edited or reordered here.
 */
export class HistoryGate implements History {
  readonly #writer: SegmentWriter;
  readonly #replay: Replay;
  readonly #listeners = new Set<CommitListener>();

  constructor(writer: SegmentWriter, replay: Replay) {
    this.#writer = writer;
    this.#replay = replay;
  }

  /** The fold, as a read-only live view. */
  get state(): SessionState {
    return this.#replay.state;
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

  /** @returns how to stop listening. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As `SegmentWriter.records`, but none that is not in history yet. */
  async records(from: number, bytesMax: number, orOne: boolean): Promise<readonly RecordedEntry[]> {
    const records = await this.#writer.records(from, bytesMax, orOne);
    return records.filter(({ seq }) => seq <= this.lastSeq);
  }

  async append(bodies: readonly EntryBody[]): Promise<readonly Entry[]> {
    const entries = await this.#writer.append(bodies);
    for (const entry of entries) this.#replay.apply(entry);
    for (const listener of this.#listeners) listener(entries);
    return entries;
  }
}
