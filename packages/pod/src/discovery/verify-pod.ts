/** Verifying a Pod: each segment that it ever ran on, and those of its compactors, one after the other. */
import { isKnown, type LogEntry, type SegmentId, YoiError } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { LogHead, SegmentRef, SegmentView, SessionStore } from "@yoi/session-store";
import { readTimelineSegment, timelineOf } from "../timeline/timeline.ts";
import { wasActive, wayOn } from "../timeline/superseded.ts";
import { activeSegment, type DiscoveryStores, findPod } from "./find-pod.ts";
import { originProblems } from "./verify-origin.ts";
import { SegmentCheck, type VerifyOptions, type VerifyProblem } from "./verify-segment.ts";

export interface VerifyStores extends Pick<DiscoveryStores, "pods"> {
  readonly sessions: Pick<SessionStore, "read" | "readStart" | "readLast" | "readLines" | "listSegments">;
}

export interface VerifyRequest extends VerifyOptions {
  /** This segment alone; absent: all. */
  readonly segment?: SegmentId;
}

export interface SegmentReport {
  readonly segment: SegmentId;
  readonly path: string;
  /** compactor: of yoi's own, beside the Pod's history. */
  readonly role: "active" | "earlier" | "compactor" | "left_over";
  readonly entries: number;
  readonly head: LogHead | null;
  readonly requests: number;
  readonly wireChecked: number;
}

export interface VerifyReport {
  readonly pod: string;
  /** The active one, or the one that was asked for. */
  readonly segment: SegmentId;
  readonly path: string;
  readonly head: LogHead | null;
  /** Those that were verified: newest first, each before its compactors. */
  readonly segments: readonly SegmentReport[];
  /** Segments that no pointer named: what an interrupted step left. They are no part of the Pod, and are not verified. */
  readonly leftOvers: readonly SegmentId[];
  /** Of all segments, as what follows. */
  readonly entries: number;
  /** Requests rebuilt whose neutral digest is the recorded one. */
  readonly requests: number;
  /** Of those, bodies rebuilt that are the recorded ones to the byte. */
  readonly wireChecked: number;
  /** Bodies that differ where the log names another adapter or lowering than ours: neither proven nor disproved. */
  readonly wireOtherVersion: number;
  /** What the log names for those, and what is here, one sentence part each: `anthropic 1.0.0 with lowering 1, here anthropic 1.1.0 with lowering 2`. */
  readonly otherVersions: readonly string[];
  /** Bodies that cannot be rebuilt here, such as those for a provider that this yoi does not have. Each model has a problem that says why. */
  readonly wireUnavailable: number;
  /** Empty: everything holds. */
  readonly problems: readonly VerifyProblem[];
}

/** Reads only, and holds one segment at a time. One pass over each for the neutral digests; bodies cost a lowering each. Throws pod_unknown, target_unknown, io_failed, schema_newer. */
export async function verifyPod(
  stores: VerifyStores,
  name: string,
  options: VerifyRequest,
): Promise<VerifyReport> {
  const record = await findPod(stores.pods, name);
  const active = activeSegment(record);
  const verifying = new Verifying(stores.sessions, record, active, options);
  await verifying.run();
  return verifying.report();
}

class Verifying {
  readonly #sessions: VerifyStores["sessions"];
  readonly #record: PodRecord;
  readonly #active: SegmentRef;
  readonly #options: VerifyRequest;
  readonly #segments: SegmentReport[] = [];
  readonly #problems: VerifyProblem[] = [];
  readonly #otherVersions = new Set<string>();
  #leftOvers: readonly SegmentId[] = [];
  #wireLeft: number;
  #wireOtherVersion = 0;
  #wireUnavailable = 0;

  constructor(
    sessions: VerifyStores["sessions"],
    record: PodRecord,
    active: SegmentRef,
    options: VerifyRequest,
  ) {
    this.#sessions = sessions;
    this.#record = record;
    this.#active = active;
    this.#options = options;
    this.#wireLeft = options.wireRequestsMax;
  }

  async run(): Promise<void> {
    const { segments, missing } = await timelineOf(this.#sessions, this.#active);
    const timeline = segments.length === 0 ? [this.#active] : segments.map(({ ref }) => ref);
    const listed = await this.#sessions.listSegments(this.#active.session);
    const known = new Set(timeline.map(({ segment }) => segment));
    const wanted = this.#options.segment;
    if (wanted !== undefined) {
      const ref = listed.find((one) => one.ref.segment === wanted)?.ref;
      if (ref === undefined)
        throw new YoiError(
          "target_unknown",
          `The Pod ${this.#record.name} has no segment ${wanted}: \`yoi pod lineage ${this.#record.name}\` shows those that it has.`,
        );
      const start = (await readTimelineSegment(this.#sessions, ref))?.start;
      const other = start?.purpose === "compaction" ? "compactor" : "left_over";
      await this.#segment(ref, known.has(wanted) ? this.#roleOf(ref) : other);
      return;
    }
    for (const ref of timeline) {
      for (const compactor of await this.#segment(ref, this.#roleOf(ref))) {
        if (known.has(compactor.segment)) continue;
        known.add(compactor.segment);
        if (listed.some((one) => one.ref.segment === compactor.segment))
          await this.#segment({ session: ref.session, segment: compactor.segment }, "compactor", compactor);
        else if (compactor.isUsed)
          this.#missing(compactor.segment, `its log names it as its compactor, and it is not there`);
      }
    }
    if (missing !== null && segments.length > 0) this.#missing(missing.ref.segment, missing.reason);
    const others = listed.flatMap(({ ref }) => (known.has(ref.segment) ? [] : [ref]));
    this.#leftOvers = others.map(({ segment }) => segment);
    // What lies behind a gap cannot be told from what was left.
    const oldest = missing === null ? 0 : (segments.at(-1)?.generation ?? 0);
    for (const ref of others) await this.#leftOver(ref, oldest);
  }

  report(): VerifyReport {
    const first = this.#segments[0];
    if (first === undefined) throw new Error("a Pod was verified without a segment");
    const sum = (of: (report: SegmentReport) => number) =>
      this.#segments.reduce((total, report) => total + of(report), 0);
    const isOne = this.#segments.length === 1;
    return {
      pod: this.#record.name,
      segment: first.segment,
      path: first.path,
      head: first.head,
      segments: this.#segments,
      leftOvers: this.#leftOvers,
      entries: sum(({ entries }) => entries),
      requests: sum(({ requests }) => requests),
      wireChecked: sum(({ wireChecked }) => wireChecked),
      wireOtherVersion: this.#wireOtherVersion,
      otherVersions: [...this.#otherVersions],
      wireUnavailable: this.#wireUnavailable,
      problems: this.#problems.map((problem) =>
        isOne ? problem : { ...problem, message: `Segment ${problem.segment}: ${problem.message}` },
      ),
    };
  }

  #roleOf({ segment }: SegmentRef): "active" | "earlier" {
    return segment === this.#active.segment ? "active" : "earlier";
  }

  async #leftOver(ref: SegmentRef, oldest: number): Promise<void> {
    const { segment } = ref;
    const found = await readTimelineSegment(this.#sessions, ref);
    if (found === null || found.generation <= oldest || !wasActive(found)) return;
    const message = `The Pod went on in the segment ${segment}, and its metadata names another one, ${this.#active.segment}: it is an older copy. ${wayOn(this.#record.name, segment)}`;
    this.#problems.push({ kind: "superseded", segment, seq: null, message });
  }

  #missing(segment: SegmentId, reason: string): void {
    const message = `The segment ${segment} cannot be verified: ${reason}. Bring its file back from a backup.`;
    this.#problems.push({ kind: "missing_segment", segment, seq: null, message });
  }

  /**
   * @param named absent: it is none that an earlier segment names. One whose process died before it asked anything may not be finished.
   * @returns the compactors that it names.
   */
  async #segment(
    ref: SegmentRef,
    role: SegmentReport["role"],
    named?: NamedCompactor,
  ): Promise<readonly NamedCompactor[]> {
    const { segment } = ref;
    const view = await this.#sessions.read(ref);
    const check = new SegmentCheck(segment, view, {
      ...this.#options,
      wireRequestsMax: Math.max(0, this.#wireLeft),
    });
    const closed = role === "active" ? this.#record.closedHead : null;
    this.#problems.push(
      ...storeProblems(segment, view, closed).filter(
        ({ kind }) => kind !== "not_ready" || named?.isUsed !== false,
      ),
      ...(await originProblems(this.#sessions, ref, view)),
      ...(await check.run()),
    );
    this.#wireLeft -= check.total;
    this.#wireOtherVersion += check.wireOtherVersion;
    this.#wireUnavailable += check.wireUnavailable;
    for (const versions of check.otherVersions) this.#otherVersions.add(versions);
    const { path, entries, head } = view;
    const { requests, wireChecked } = check;
    this.#segments.push({ segment, path, role, entries: entries.length, head, requests, wireChecked });
    return compactorsOf(entries);
  }
}

interface NamedCompactor {
  readonly segment: SegmentId;
  /** It asked a model. */
  readonly isUsed: boolean;
}

function compactorsOf(entries: readonly LogEntry[]): readonly NamedCompactor[] {
  const named = new Map<SegmentId, boolean>();
  for (const entry of entries) {
    if (!isKnown(entry)) continue;
    if (entry.kind !== "compacted" && entry.kind !== "compaction_begun") continue;
    const { compactor } = entry;
    const isUsed = entry.kind === "compacted" && entry.spent.requests > 0;
    if (compactor !== null) named.set(compactor, isUsed || named.get(compactor) === true);
  }
  return [...named].map(([segment, isUsed]) => ({ segment, isUsed }));
}

/** What checksums, the ready mark and the head of the last orderly close say. */
function storeProblems(
  segment: SegmentId,
  view: SegmentView,
  closed: PodRecord["closedHead"],
): readonly VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  if (view.damage !== null) {
    const { path, line, offset, reason } = view.damage;
    problems.push({
      kind: "damage",
      segment,
      seq: view.entries.length,
      message: `${path} is damaged at line ${line}, byte ${offset} (${reason}): the ${view.entries.length} entries before it are good.`,
    });
  } else if (!view.ready) {
    problems.push({
      kind: "not_ready",
      segment,
      seq: null,
      message: `${view.path} has no segment_ready: it was never finished.`,
    });
  }
  if (
    closed !== null &&
    view.damage === null &&
    closed.segment === segment &&
    view.sums[closed.seq] !== closed.sum
  ) {
    const last = view.entries.length - 1;
    problems.push({
      kind: "missing_lines",
      segment,
      seq: Math.min(closed.seq, last + 1),
      message:
        last < closed.seq
          ? `${view.path} ends at entry ${last}, but the last orderly close left it at ${closed.seq}: whole lines are missing at the end.`
          : `${view.path} has another entry ${closed.seq} than the last orderly close left: the log was replaced.`,
    });
  }
  return problems;
}
