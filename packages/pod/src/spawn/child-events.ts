/** ChildEvents: tells a Pod's model what ended in its children, once each. Completion is a record in the child's log; a wake-up is a cursor that is behind it. */
import { type Clock, inParallel, messageOf, type PodName, YoiError } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { ChildPlace, SegmentRef } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { Inbox } from "../inbox/inbox.ts";
import {
  compactsBehind,
  damageNoticeOf,
  type Ending,
  endingName,
  noticesOf,
  takeEntry,
} from "./child-endings.ts";
import { activeOf, childLogBehind, type ChildLogStores, type DamagedSegment } from "./child-log.ts";
import type { PodRef } from "./same-pod.ts";

/** How old the last write of a log must be before its time tells that nothing was written since: two writes may share one. */
export const writtenSettledMs = 2_000;

/** Logs that are read at a time. */
const logsAtOnceMax = 4;

interface ChildEventsParts extends ChildLogStores {
  readonly gate: Pick<HistoryGate, "state">;
  readonly inbox: Pick<Inbox, "accept" | "acceptUpTo" | "room">;
  /** The own metadata as it is stored. */
  readonly record: () => Pick<PodRecord, "children" | "reclaimed">;
  readonly clock: Pick<Clock, "now">;
  /** Something was accepted. */
  readonly notified: () => void;
  /** A sentence for the user. */
  readonly warn: (text: string) => void;
}

/** How far a log was looked at, all of it told. */
interface Seen {
  readonly segment: string;
  readonly writtenMs: number;
}

/** What is new in a child's log. */
interface News {
  readonly endings: readonly Ending[];
  readonly damaged: readonly DamagedSegment[];
  /** The last entry that was read; null: there is none. */
  readonly through: ChildPlace | null;
  /** False: a run yielded, and it is not known yet whether it goes on by itself. Neither it nor what is behind it is part of the news. */
  readonly isAll: boolean;
}

/** Looks are cheap where nothing was written, so everybody who has a reason asks for one: a hint, the end of a run or of a connection, an opening, a while. */
export class ChildEvents {
  readonly #parts: ChildEventsParts;
  readonly #seen = new Map<PodName, Seen>();
  /** Up to where a log is told, beyond the last ending that is. */
  readonly #places = new Map<PodName, ChildPlace>();
  /** Those with something to tell for which the inbox had no room. */
  readonly #owed = new Set<PodName>();
  /** One look at a child at a time: the one that goes on, and the one that begins behind it. */
  readonly #looks = new Map<PodName, { readonly now: Promise<void>; next: Promise<void> | null }>();
  /** So that the same trouble is said once. */
  readonly #troubles = new Map<PodName, string>();
  #isClosed = false;

  constructor(parts: ChildEventsParts) {
    this.#parts = parts;
  }

  /** Children with an open loan, and those whose loan came back with something left to tell. */
  async lookAtAll(): Promise<void> {
    const { children, reclaimed } = this.#parts.record();
    await inParallel([...children, ...reclaimed], logsAtOnceMax, (child) => this.look(child));
  }

  /** There is room in the inbox: looks that waited for it go on. */
  async roomAgain(): Promise<void> {
    const owed = [...this.#owed];
    this.#owed.clear();
    await inParallel(owed, logsAtOnceMax, (name) => this.lookAt(name));
  }

  /** Looks at the child whose name it is, if it is one. */
  async lookAt(name: PodName): Promise<void> {
    const { children, reclaimed } = this.#parts.record();
    const child = [...children, ...reclaimed].find((one) => one.name === name);
    if (child !== undefined) await this.look(child);
  }

  /**
   * Resolves when everything that was durable in the child's log at the call is told, or waits for room in the inbox: then the next look tells it. Never
   * rejects: what cannot be read is said to the user, and looked at again.
   */
  look(child: PodRef): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const going = this.#looks.get(child.name);
    // The one that goes on may have read the log before what this one is about was there.
    if (going !== undefined) return (going.next ??= going.now.then(() => this.look(child)));
    return this.#begin(child);
  }

  /** From here on nothing is told; resolves when no look goes on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#looks.values(), ({ now }) => now));
  }

  #begin(child: PodRef): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const now = this.#lookNow(child).finally(() => {
      if (this.#looks.get(child.name)?.now === now) this.#looks.delete(child.name);
    });
    this.#looks.set(child.name, { now, next: null });
    return now;
  }

  async #lookNow(child: PodRef): Promise<void> {
    try {
      await this.#tellNew(child);
      this.#troubles.delete(child.name);
    } catch (error) {
      // Full or closing: the next look, or that of the next owner, tells it.
      if (error instanceof YoiError && error.code === "inbox_full") this.#owed.add(child.name);
      else if (!(error instanceof YoiError && error.code === "cancelled"))
        this.#warnOnce(child.name, messageOf(error));
    }
  }

  async #tellNew(child: PodRef): Promise<void> {
    const { sessions, clock } = this.#parts;
    const active = await activeOf(this.#parts, child);
    if (active === null) return;
    const writtenMs = (await sessions.writtenMs(active)) ?? 0;
    if (this.#isSeen(child.name, active, writtenMs)) return;
    const isSettled = clock.now() - writtenMs >= writtenSettledMs;
    const news = await this.#newsOf(child, active, isSettled);
    if (!(await this.#tellEndings(child.name, news.endings))) {
      this.#owed.add(child.name);
      return;
    }
    for (const one of news.damaged) await this.#tellDamage(child.name, one);
    if (news.through !== null) this.#places.set(child.name, news.through);
    if (isSettled && news.isAll) this.#seen.set(child.name, { segment: active.segment, writtenMs });
  }

  async #newsOf(child: PodRef, active: SegmentRef, isSettled: boolean): Promise<News> {
    const place = this.#places.get(child.name) ?? this.#parts.gate.state.childCursors.get(child.name) ?? null;
    const endings: Ending[] = [];
    const damaged: DamagedSegment[] = [];
    let through = place;
    let compacts = false;
    for await (const { segment, entries, damage } of childLogBehind(this.#parts, active, place)) {
      for (const entry of entries) {
        takeEntry(endings, segment, entry);
        compacts = compactsBehind(entry) ?? compacts;
      }
      const last = entries.at(-1);
      if (last !== undefined) through = { segment, seq: last.seq };
      if (damage !== null) damaged.push({ segment, damage });
    }
    const last = endings.at(-1);
    if (last?.yields !== true || (isSettled && !compacts)) return { endings, damaged, through, isAll: true };
    const before = { segment: last.segment, seq: last.seq - 1 };
    return { endings: endings.slice(0, -1), damaged, through: before, isAll: false };
  }

  /** False: the inbox had no room for all of them. */
  async #tellEndings(child: PodName, endings: readonly Ending[]): Promise<boolean> {
    const { inbox } = this.#parts;
    const { told, untold } = this.#untold(child, endings);
    const spoken = untold.filter(({ how }) => how !== null);
    const notices = noticesOf(child, spoken);
    const fitting = notices.slice(0, inbox.room);
    const isAll = fitting.length === notices.length;
    // Where not all fit they are told one by one, so the last one that does says how far that is.
    const upTo = isAll ? (untold.at(-1) ?? told) : (spoken[fitting.length - 1] ?? told);
    if (upTo !== null) {
      const { segment, seq: through } = upTo;
      await inbox.acceptUpTo({ kind: "child_cursor", child, segment, through }, fitting);
      if (fitting.length > 0) this.#parts.notified();
    }
    return isAll;
  }

  async #tellDamage(child: PodName, damaged: DamagedSegment): Promise<void> {
    const { gate, inbox, notified, warn } = this.#parts;
    const notice = damageNoticeOf(child, damaged);
    if (gate.state.submissions.has(notice.submission)) return;
    await inbox.accept(notice);
    const { path, line, offset, reason } = damaged.damage;
    warn(
      `What ended in the Pod ${child} behind line ${line} (byte ${offset}) of ${path} cannot be told to its parent, because the log is damaged there: ${reason}. \`yoi pod verify ${child}\` shows more.`,
    );
    notified();
  }

  /** A crash may have torn the batch that told them: what came in under its name was told, and all before it. */
  #untold(
    child: PodName,
    endings: readonly Ending[],
  ): { readonly told: Ending | null; readonly untold: readonly Ending[] } {
    const { submissions } = this.#parts.gate.state;
    const at = endings.findLastIndex((ending) => submissions.has(endingName(child, ending)));
    return { told: endings[at] ?? null, untold: endings.slice(at + 1) };
  }

  #isSeen(child: PodName, { segment }: SegmentRef, writtenMs: number): boolean {
    const seen = this.#seen.get(child);
    return seen?.segment === segment && seen.writtenMs === writtenMs;
  }

  #warnOnce(child: PodName, trouble: string): void {
    if (this.#troubles.get(child) === trouble) return;
    this.#troubles.set(child, trouble);
    this.#parts.warn(`What ended in the Pod ${child} cannot be told to its parent now: ${trouble}`);
  }
}
