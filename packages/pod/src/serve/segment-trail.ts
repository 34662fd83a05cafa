/** SegmentTrail: the segments that a Pod went on in, one behind the other, and the records of all of them: for clients that were away meanwhile. */
import { isKnown, type LogEntry, segmentId, type SegmentStart, YoiError } from "@yoi/base";
import type { Rotation } from "@yoi/protocol";
import { jsonOfEntry, type RecordedEntry, type SessionStore, type StoredLine } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import { originOfStart, readTimelineSegment } from "../timeline/timeline.ts";

interface TrailParts {
  readonly gate: Pick<HistoryGate, "ref" | "records">;
  readonly sessions: Pick<SessionStore, "readStart" | "readLast" | "readLines" | "attach">;
}

/** Which records of a segment are read. */
export interface RecordsFrom {
  readonly segment: string;
  readonly seq: number;
  readonly bytesMax: number;
  /** Where the first alone has more it is read all the same. */
  readonly orOne: boolean;
}

export class SegmentTrail {
  readonly #parts: TrailParts;
  /** By the segment that each leads to, which begins the same for ever. Null: that is the first one. */
  readonly #rotations = new Map<string, Rotation | null>();

  constructor(parts: TrailParts) {
    this.#parts = parts;
  }

  /**
   * To each segment that the Pod went on in since it left this one, oldest first; none where it is in it now. Null: it never ran on it, or what came between
   * is not there any more. Throws what reading their starts throws.
   */
  async since(segment: string): Promise<readonly Rotation[] | null> {
    const rotations: Rotation[] = [];
    let next: string = this.#parts.gate.ref.segment;
    while (next !== segment) {
      const rotation = await this.#to(next);
      const newer = rotations[0];
      // Generations fall, so no chain goes round.
      if (rotation === null || (newer !== undefined && rotation.generation >= newer.generation)) return null;
      rotations.unshift(rotation);
      next = rotation.left.segment;
    }
    return rotations;
  }

  /** As `SegmentWriter.records`, of any segment that the Pod ran on. */
  async records({ segment, seq, bytesMax, orOne }: RecordsFrom): Promise<readonly RecordedEntry[]> {
    const { gate } = this.#parts;
    return segment === gate.ref.segment
      ? gate.records(seq, bytesMax, orOne)
      : this.#leftRecords({ segment, seq, bytesMax, orOne });
  }

  async #to(segment: string): Promise<Rotation | null> {
    const known = this.#rotations.get(segment);
    if (known !== undefined) return known;
    const { gate, sessions } = this.#parts;
    const ref = { session: gate.ref.session, segment: segmentId(segment) };
    const found = await readTimelineSegment(sessions, ref);
    const rotation = found === null ? null : rotationTo(found.start);
    this.#rotations.set(segment, rotation);
    return rotation;
  }

  /** Nothing is added to it any more. */
  async #leftRecords({ segment, seq, bytesMax, orOne }: RecordsFrom): Promise<readonly RecordedEntry[]> {
    const { gate, sessions } = this.#parts;
    const ref = { session: gate.ref.session, segment: segmentId(segment) };
    const records: RecordedEntry[] = [];
    let bytes = 0;
    for await (const lines of sessions.readLines(ref, { seq, direction: "onwards" })) {
      for (const line of lines) {
        if (line.seq !== seq + records.length) throw missing(segment, seq + records.length);
        const isFirst = records.length === 0;
        const { kind, isDetached } = headOf(line);
        // A payload in a blob is larger than what is read at once.
        if (isDetached && !(isFirst && orOne)) return records;
        const json = isDetached ? await this.#attached(line, ref) : line.text();
        bytes += Buffer.byteLength(json);
        if (bytes > bytesMax && !(isFirst && orOne)) return records;
        records.push({ seq: line.seq, kind, json });
        if (bytes >= bytesMax) return records;
      }
    }
    return records;
  }

  async #attached(line: StoredLine, ref: Parameters<SessionStore["attach"]>[0]): Promise<string> {
    const entry = line.decode();
    if (entry === null || !("detached" in entry)) return line.text();
    return jsonOfEntry(await this.#parts.sessions.attach(ref, entry));
  }
}

/** To the segment that begins with these entries. */
export function rotationOf(entries: readonly LogEntry[]): Rotation {
  const [start] = entries;
  const rotation =
    start !== undefined && isKnown(start) && start.kind === "segment_start" ? rotationTo(start) : null;
  if (rotation === null) throw new Error("a segment that history went on in does not say from where");
  return rotation;
}

/** Null: it is the first segment of its Pod. */
function rotationTo(start: Omit<SegmentStart, "kind" | "prompt">): Rotation | null {
  const origin = originOfStart(start);
  const { left, generation = 0, compacted_from: compacted } = start;
  if (origin === null || left === undefined) return null;
  return {
    segment: start.segment_id,
    generation,
    why: compacted === undefined ? "forked" : "compacted",
    from: { segment: origin.segment_id, seq: origin.seq },
    left: { segment: left.segment_id, seq: left.seq },
  };
}

function headOf(line: StoredLine): { readonly kind: string; readonly isDetached: boolean } {
  const entry = line.decode();
  if (entry === null) return { kind: "", isDetached: false };
  return { kind: entry.kind, isDetached: "detached" in entry };
}

function missing(segment: string, seq: number): YoiError {
  return new YoiError(
    "log_damaged",
    `The log of the segment ${segment}, which this Pod has left, is damaged at its entry ${seq}: attach anew to see what came after it.`,
  );
}
