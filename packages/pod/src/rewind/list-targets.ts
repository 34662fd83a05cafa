/** ListTargets: the places that a user may want to go back to, newest first, over all segments that the Pod ever ran on. */
import {
  type AssistantItem,
  entryId,
  escapeControls,
  flattenInput,
  type CallId,
  isKnown,
  type Item,
  type LogEntry,
  type SegmentId,
  YoiError,
} from "@yoi/base";
import type { SegmentRef } from "@yoi/session-store";
import { type EntryStore, parseEntryId, readEntries } from "../timeline/find-entry.ts";
import { lifeOf } from "../timeline/life.ts";
import type { TimelineSegment } from "../timeline/timeline.ts";
import { hasRun } from "./done-since.ts";
import type { Side } from "./place.ts";

/** Places listed unless more are asked for. */
export const targetsDefault = 50;
/** Places listed at most. */
export const targetsMax = 10_000;
/** Characters of a preview. */
export const previewCharsMax = 120;

export interface RewindTarget {
  readonly id: string;
  /** An input: before it; a turn: behind it. */
  readonly side: Side;
  readonly kind: "input" | "turn";
  readonly segment: SegmentId;
  readonly generation: number;
  /** Completed turns that history has there. */
  readonly turn: number;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** One line. */
  readonly preview: string;
  /** Calls since then, on whatever branch, of tools that do more than read, and commands of the user; null: it is on a branch that was left. */
  readonly effects: number | null;
}

export interface ListedTargets {
  readonly targets: readonly RewindTarget[];
  /** There are older ones. */
  readonly more: boolean;
}

export interface ListOptions {
  readonly isReadOnly: (tool: string) => boolean;
  /** 1 to `targetsMax`. */
  readonly limit: number;
  /** Only those older than this one of an earlier list. */
  readonly olderThan?: string;
}

/** Reads logs backwards, as far as it takes. Throws target_unknown for an `olderThan` that is no id, log_damaged where the segment is gone, and what the store throws. */
export async function listTargets(
  store: EntryStore,
  ref: SegmentRef,
  { isReadOnly, limit, olderThan }: ListOptions,
): Promise<ListedTargets> {
  const isOlder = olderThanId(olderThan);
  const targets: RewindTarget[] = [];
  let effects = 0;
  let isThere = false;
  for await (const { segment, line, through } of lifeOf(store, ref)) {
    isThere = true;
    const walk = new SegmentWalk(segment, line, effects, isReadOnly);
    for await (const { generation, seq, target } of foundIn(store, segment, through, walk)) {
      if (!isOlder(generation, seq)) continue;
      if (targets.length === limit) return { targets, more: true };
      targets.push(target);
    }
    effects = walk.effects;
  }
  if (!isThere)
    throw new YoiError(
      "log_damaged",
      `The segment ${ref.segment}, which the Pod's name refers to, is not there, or does not begin as one: bring its file back from a backup, or go on from an older one in another Pod (\`yoi pod lineage NAME\` shows them, \`yoi pod fork NAME NEW --segment ID\` does it).`,
    );
  return { targets, more: false };
}

function olderThanId(id: string | undefined): (generation: number, seq: number) => boolean {
  if (id === undefined) return () => true;
  const name = parseEntryId(id);
  if (name === null) throw new YoiError("target_unknown", `${JSON.stringify(id)} is no entry's id.`);
  return (generation, seq) =>
    generation < name.generation || (generation === name.generation && seq < name.seq);
}

async function* foundIn(
  store: EntryStore,
  { ref, generation, start }: TimelineSegment,
  through: number,
  walk: SegmentWalk,
): AsyncGenerator<Found & { readonly generation: number }, void> {
  for await (const entry of readEntries(store, ref, { seq: through, direction: "backwards" })) {
    if (entry.seq <= start.carried && !walk.looksForCalls) break;
    for (const found of walk.see(entry)) yield { ...found, generation };
  }
  for (const found of walk.end()) yield { ...found, generation };
}

interface Found {
  readonly seq: number;
  readonly target: RewindTarget;
}

/** A place whose turn, or whose preview, is said by what stands before it. */
interface Pending {
  readonly entry: LogEntry;
  readonly kind: RewindTarget["kind"];
  readonly effects: number | null;
  turn: number | null;
  preview: string;
  calls: readonly string[];
}

/** Sees the entries of one segment, last first. */
class SegmentWalk {
  effects: number;
  readonly #segment: TimelineSegment;
  /** Up to here it is what history goes back to. */
  readonly #through: number;
  readonly #isReadOnly: (tool: string) => boolean;
  readonly #started = new Set<CallId>();
  /** The last one behind the turn that comes next. */
  #result: LogEntry | null = null;
  /** Newest first. */
  #pending: Pending[] = [];

  constructor(
    segment: TimelineSegment,
    through: number,
    effects: number,
    isReadOnly: (tool: string) => boolean,
  ) {
    this.#segment = segment;
    this.#through = through;
    this.effects = effects;
    this.#isReadOnly = isReadOnly;
  }

  /** Calls were started in the segment whose item it took over. */
  get looksForCalls(): boolean {
    return this.#started.size > 0;
  }

  see(entry: LogEntry): readonly Found[] {
    if (!isKnown(entry)) return [];
    switch (entry.kind) {
      case "turn_end": {
        // What stood between it and the one behind has as many turns as it says.
        const found = this.#settled(entry.turn_count);
        // With calls it ends behind their results: there nothing of it is to be done any more.
        this.#add(this.#result ?? entry, "turn", entry.turn_count, "");
        return found;
      }
      case "tool_result":
        this.#result ??= entry;
        return [];
      case "user_input":
        this.#add(entry, "input", null, flattenInput(entry.parts));
        return [];
      case "assistant_item":
        this.#said(entry.item);
        this.#count(entry.item);
        return [];
      case "carried":
        if (entry.of === "item") this.#count(entry.item);
        return [];
      case "tool_started":
        this.#started.add(entry.call);
        return [];
      case "inbox_accepted":
        if (hasRun(entry.item)) this.effects += 1;
        return [];
      default:
        return [];
    }
  }

  end(): readonly Found[] {
    this.effects += this.#started.size;
    return this.#settled(this.#segment.start.turn_count);
  }

  #count(item: Item): void {
    if (item.type !== "tool_call" || !this.#started.delete(item.call)) return;
    if (!this.#isReadOnly(item.name)) this.effects += 1;
  }

  #add(entry: LogEntry, kind: RewindTarget["kind"], turn: number | null, preview: string): void {
    this.#result = null;
    const effects = entry.seq <= this.#through ? this.effects : null;
    this.#pending.push({ entry, kind, effects, turn, preview, calls: [] });
  }

  /** Of the turn that ended last. */
  #said(item: AssistantItem): void {
    const turn = this.#pending.at(-1);
    if (turn?.kind !== "turn") return;
    if (item.type === "assistant_message") turn.preview = item.text;
    if (item.type === "tool_call") turn.calls = [item.name, ...turn.calls];
  }

  #settled(turn: number): readonly Found[] {
    const { generation, ref } = this.#segment;
    const found = this.#pending.map(({ entry, kind, effects, turn: own, preview, calls }): Found => {
      const text = preview.trim() === "" ? calls.join(", ") : preview;
      const target: RewindTarget = {
        id: entryId(generation, entry.seq),
        side: kind === "input" ? "before" : "behind",
        kind,
        segment: ref.segment,
        generation,
        turn: own ?? turn,
        ts: entry.ts,
        preview: previewOf(text),
        effects,
      };
      return { seq: entry.seq, target };
    });
    this.#pending = [];
    return found;
  }
}

/** One line that cannot disturb a terminal. */
function previewOf(text: string): string {
  const line = escapeControls(text.replaceAll(/\s+/g, " ").trim());
  return line.length <= previewCharsMax ? line : `${line.slice(0, previewCharsMax - 1).toWellFormed()}…`;
}
