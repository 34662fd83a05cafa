/** Ledger: what the store acknowledged and what it was still asked for, noted between the Pod and its session store. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { EntryBody, LogEntry } from "@yoi/base";
import { HostCrashed } from "@yoi/host";
import type { SegmentRef, SegmentWriter, SessionStore } from "@yoi/session-store";
import { overriding } from "../support/overriding.ts";

export class Ledger {
  /** Acknowledged entries of the segment in use. */
  acknowledged: LogEntry[] = [];
  ref: SegmentRef | null = null;
  /** Batches without an answer, in the order in which they were handed over. */
  readonly #pending: { readonly bodies: readonly EntryBody[] }[] = [];
  /** Openings without an answer. */
  #openings = 0;
  readonly #onAcknowledged: () => void;

  constructor(onAcknowledged: () => void = () => {}) {
    this.#onAcknowledged = onAcknowledged;
  }

  watch(sessions: SessionStore): SessionStore {
    return overriding(sessions, {
      create: async (start, opening) => {
        const opened = await sessions.create(start, opening);
        this.ref = opened.writer.ref;
        this.#settle(opened.entries);
        return { ...opened, writer: this.#watchWriter(opened.writer) };
      },
      open: async (ref, opening) => {
        const known = this.ref;
        this.ref = ref;
        this.#openings += 1;
        const opened = await sessions.open(ref, opening);
        // A ledger that is shown its first log has nothing to hold against it.
        if (known !== null) {
          assert.equal(ref.segment, known.segment, "another segment is opened than was written");
          this.check(opened.entries, "what the store handed to the new owner");
        }
        this.#settle(opened.entries);
        return { ...opened, writer: this.#watchWriter(opened.writer) };
      },
    });
  }

  /** Recovered is: acknowledged, then at most what was on its way, in order, then openings that nobody lived to use. */
  check(recovered: readonly LogEntry[], where: string): void {
    for (const [seq, entry] of recovered.entries()) {
      assert.equal(entry.seq, seq, `${where}: entry ${seq} has seq ${entry.seq}`);
    }
    const { acknowledged } = this;
    assert.ok(
      recovered.length >= acknowledged.length,
      `${where}: ${acknowledged.length} entries were acknowledged, ${recovered.length} are there`,
    );
    for (const [seq, entry] of acknowledged.entries()) {
      assert.deepEqual(recovered[seq], entry, `${where}: acknowledged entry ${seq} is another one now`);
    }
    const extra = recovered.slice(acknowledged.length);
    const inFlight = this.#pending.flatMap(({ bodies }) => bodies);
    let taken = 0;
    while (taken < extra.length && isOf(extra[taken], inFlight[taken])) taken += 1;
    const openings = extra.slice(taken);
    assert.ok(
      openings.length <= this.#openings && openings.every(({ kind }) => kind === "opened"),
      `${where}: entry ${acknowledged.length + taken} (${openings[0]?.kind}) is none that was on its way`,
    );
  }

  #settle(entries: readonly LogEntry[]): void {
    this.acknowledged = [...entries];
    this.#pending.length = 0;
    this.#openings = 0;
  }

  #watchWriter(writer: SegmentWriter): SegmentWriter {
    const append: SegmentWriter["append"] = async (bodies) => {
      const batch = { bodies };
      this.#pending.push(batch);
      try {
        const entries = await writer.append(bodies);
        assert.equal(entries[0]?.seq, this.acknowledged.length, "an append is acknowledged out of order");
        this.acknowledged.push(...entries);
        this.#drop(batch);
        this.#onAcknowledged();
        return entries;
      } catch (error) {
        // What a poisoned writer or a dying process had under way may survive; what was refused may not.
        if (!(error instanceof HostCrashed) && !isPoison(error)) this.#drop(batch);
        throw error;
      }
    };
    return overriding(writer, { append });
  }

  #drop(batch: { readonly bodies: readonly EntryBody[] }): void {
    this.#pending.splice(this.#pending.indexOf(batch), 1);
  }
}

function isPoison(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "log_poisoned";
}

function isOf(entry: LogEntry | undefined, body: EntryBody | undefined): boolean {
  if (entry === undefined || body === undefined) return false;
  const { seq: _seq, batch: _batch, ts: _ts, ...rest } = entry;
  return isDeepStrictEqual(rest, JSON.parse(JSON.stringify(body)));
}
