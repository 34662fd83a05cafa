/** LogMarks: places in logs that were read up to, so that whoever reads on begins there and not at the beginning. */
import type { LogMark } from "./decode-log.ts";

/** About one is kept for each of these bytes of a log, and the last one. */
export const markStrideBytes = 1024 * 1024;
/** Logs of which any are kept: those that were read last. */
export const markedLogsMax = 128;

export class LogMarks {
  /** Ascending, by path; the log that was read last is the last. */
  readonly #marks = new Map<string, LogMark[]>();

  /** The nearest one at or before the entry `seq`, where the log has no more than `bytes`; null: its beginning. */
  before(path: string, seq: number, bytes: number): LogMark | null {
    const marks = this.#marks.get(path) ?? [];
    return marks.findLast((mark) => mark.seq <= seq && mark.offset <= bytes) ?? null;
  }

  /** Null notes nothing. */
  note(path: string, mark: LogMark | null): void {
    if (mark === null) return;
    const marks = this.#marks.get(path) ?? [];
    this.#marks.delete(path);
    this.#marks.set(path, marks);
    const last = marks.at(-1);
    if (last === undefined || last.seq < mark.seq) {
      if (last !== undefined && last.offset - (marks.at(-2)?.offset ?? 0) < markStrideBytes) marks.pop();
      marks.push(mark);
    }
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > markedLogsMax && oldest !== undefined) this.#marks.delete(oldest);
  }

  forget(path: string): void {
    this.#marks.delete(path);
  }
}
