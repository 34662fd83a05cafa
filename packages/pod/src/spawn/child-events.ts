/** ChildEvents: tells a Pod's model what ended in its children, once each. Completion is a record in the child's log; a wake-up is a cursor that is behind it. */
import { type Clock, messageOf, type PodName, YoiError } from "@yoi/base";
import type { PodRecord } from "@yoi/pod-store";
import type { SegmentRef } from "@yoi/session-store";
import type { HistoryGate } from "../history/gate.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { endingName, endingsOf, noticesOf, type Ending } from "./child-endings.ts";
import { activeOf, type ChildLogStores, type KnownChild, logBehind } from "./child-log.ts";

/** How old the last write of a log must be before its time tells that nothing was written since: two writes may share one. */
export const writtenSettledMs = 2_000;

export interface ChildEventsParts extends ChildLogStores {
  readonly gate: Pick<HistoryGate, "state">;
  readonly inbox: Pick<Inbox, "acceptUpTo" | "room">;
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

/** Looks are cheap where nothing was written, so everybody who has a reason asks for one: a hint, the end of a run or of a connection, an opening. */
export class ChildEvents {
  readonly #parts: ChildEventsParts;
  readonly #seen = new Map<PodName, Seen>();
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
    await Promise.all([...children, ...reclaimed].map((child) => this.look(child)));
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
  look(child: KnownChild): Promise<void> {
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

  #begin(child: KnownChild): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    const now = this.#lookNow(child).finally(() => {
      if (this.#looks.get(child.name)?.now === now) this.#looks.delete(child.name);
    });
    this.#looks.set(child.name, { now, next: null });
    return now;
  }

  async #lookNow(child: KnownChild): Promise<void> {
    try {
      await this.#tellNew(child);
      this.#troubles.delete(child.name);
    } catch (error) {
      // Full or closing: the next look, or that of the next owner, tells it.
      if (error instanceof YoiError && (error.code === "inbox_full" || error.code === "cancelled")) return;
      this.#warnOnce(child.name, messageOf(error));
    }
  }

  async #tellNew(child: KnownChild): Promise<void> {
    const { sessions, clock, gate, inbox } = this.#parts;
    const active = await activeOf(this.#parts, child);
    if (active === null) return;
    const writtenMs = (await sessions.writtenMs(active)) ?? 0;
    if (this.#isSeen(child.name, active, writtenMs)) return;
    const isSettled = clock.now() - writtenMs >= writtenSettledMs;
    const place = gate.state.childCursors.get(child.name) ?? null;
    const endings = this.#untold(child.name, endingsOf(await logBehind(this.#parts, active, place)));
    const last = endings.untold.at(-1) ?? endings.told;
    if (last !== null) {
      const notices = noticesOf(child.name, endings.untold);
      const fitting = notices.slice(0, inbox.room);
      const isAll = fitting.length === notices.length;
      // Where not all fit they are told one by one, so the last one that does says how far that is.
      const upTo = isAll ? last : (endings.untold[fitting.length - 1] ?? endings.told);
      if (upTo === null) return;
      const { segment, seq: through } = upTo;
      await inbox.acceptUpTo({ kind: "child_cursor", child: child.name, segment, through }, fitting);
      if (fitting.length > 0) this.#parts.notified();
      if (!isAll) return;
    }
    if (isSettled) this.#seen.set(child.name, { segment: active.segment, writtenMs });
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
