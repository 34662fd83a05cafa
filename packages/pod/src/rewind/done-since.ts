/** DoneSince: what was done behind a place, whatever history that is part of: calls that have effects, and files, with what they held there. */
import {
  type CallId,
  isJsonObject,
  isKnown,
  type Item,
  itemOf,
  type JsonObject,
  type LogEntry,
} from "@yoi/base";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { type FileOutcome, type FileWish, notKept, notKnown, readTouched, type Touched } from "@yoi/tools";
import { outcomeUnknown } from "@yoi/worker";
import { readEntries } from "../timeline/find-entry.ts";
import { type LifeSegment, lifeOf } from "../timeline/life.ts";
import type { TimelineStore } from "../timeline/timeline.ts";
import type { Place } from "./place.ts";

export type FilesStore = TimelineStore & Pick<SessionStore, "readLines" | "attach" | "copies">;

/** What of a file became, or (`restorable`) could become. */
export interface FileTold {
  readonly path: string;
  readonly outcome: FileOutcome | "restorable";
  /** What else is to be said of it, as a sentence. */
  readonly why?: string;
}

export interface DoneSince {
  /** Calls that were started of tools that do more than read. */
  readonly effects: number;
  /** Each path once, in the order of the first change. Where `wish` is null it cannot be put back. */
  readonly files: readonly (FileTold & { readonly wish: FileWish | null })[];
  /** Files that were touched and that no record names. */
  readonly lost: number;
}

/** Their records say what they touched. Those of others are not asked: they could name any file. */
const writingTools: ReadonlySet<string> = new Set(["Write", "Edit", "Bash"]);

/**
 * Neither files nor effects go back with history, so what counts is what was done since, on whatever branch: in the rest of the segment of the place and in all that the Pod was
 * on later. Of the Pod that it was forked from, as far as the fork goes back to it: the copies of that are the other's.
 */
export async function doneSince(
  store: FilesStore,
  head: SegmentRef,
  place: Place & { readonly generation: number },
  isReadOnly: (tool: string) => boolean,
): Promise<DoneSince> {
  const since: LifeSegment[] = [];
  for await (const one of lifeOf(store, head)) {
    if (one.segment.generation < place.generation) break;
    since.push(one);
  }
  const files = new Chains();
  let effects = 0;
  for (const { segment, through } of since.toReversed()) {
    const { ref, generation } = segment;
    const isOwn = ref.session === head.session;
    const looked = new Look(files, isOwn ? store.copies(head.session) : null, isReadOnly);
    const after = generation === place.generation ? place.seq : -1;
    for await (const entry of readEntries(store, ref, { seq: 0, direction: "onwards" })) {
      if (entry.seq > through) break;
      await looked.at(entry, entry.seq > after);
    }
    if (isOwn) looked.end();
    effects += looked.effects;
  }
  return { ...files.told(), effects };
}

/** Looks at the entries of one segment. Without copies, what was touched is known and cannot be put back. */
class Look {
  readonly #files: Chains;
  readonly #copies: ReturnType<FilesStore["copies"]> | null;
  /** Paths of calls of file tools, as the model named them. */
  readonly #named = new Map<CallId, string>();
  readonly #started = new Set<CallId>();
  readonly #isReadOnly: (tool: string) => boolean;
  readonly #tools = new Map<CallId, string>();
  effects = 0;

  constructor(
    files: Chains,
    copies: ReturnType<FilesStore["copies"]> | null,
    isReadOnly: (tool: string) => boolean,
  ) {
    this.#files = files;
    this.#copies = copies;
    this.#isReadOnly = isReadOnly;
  }

  async at(entry: LogEntry, counts: boolean): Promise<void> {
    const carried = isKnown(entry) && entry.kind === "carried" && entry.of === "item" ? entry.item : null;
    const item = carried ?? itemOf(entry);
    if (item?.type === "tool_call") this.#tools.set(item.call, item.name);
    if (item?.type === "tool_call" && writingTools.has(item.name)) this.#name(item.call, item.arguments);
    if (!counts || carried !== null) return;
    if (isKnown(entry) && entry.kind === "tool_started") this.#start(entry.call);
    if (item?.type === "tool_result" && writingTools.has(item.name)) await this.#result(item);
    const isOurs = item?.type === "system_item" && item.kind === "lineage" && item.source === "host";
    if (isOurs && item.record !== undefined) await this.#record(item.record);
  }

  #start(call: CallId): void {
    this.#started.add(call);
    if (!this.#isReadOnly(this.#tools.get(call) ?? "")) this.effects += 1;
  }

  /** Calls that nobody saw end. */
  end(): void {
    for (const call of this.#started) this.#cut(call);
  }

  async #result({ call, record, summary, is_error }: Extract<Item, { type: "tool_result" }>): Promise<void> {
    this.#started.delete(call);
    if (record !== undefined) await this.#record(record);
    else if (is_error && summary === outcomeUnknown) this.#cut(call);
  }

  async #record(record: JsonObject): Promise<void> {
    const { path, touched, touched_list } = record;
    // Of a Pod whose tools kept no copies yet.
    if (typeof path === "string" && touched === undefined && touched_list === undefined) {
      this.#files.add({ path, before: notKept, after: notKnown, why: "no copy was taken of it" });
      return;
    }
    const copies = this.#copies ?? { read: async () => null };
    const read = await readTouched(record, copies);
    this.#files.lost += read.lost;
    for (const one of read.touched)
      this.#files.add(
        this.#copies === null ? { ...one, before: notKept, why: "another Pod changed it" } : one,
      );
  }

  #cut(call: CallId): void {
    const path = this.#named.get(call);
    if (path === undefined) return;
    const why = "the call that was to change it was cut off, and whether it did is not known";
    this.#files.add({ path, before: notKept, after: notKnown, why });
  }

  #name(call: CallId, text: string): void {
    const path = pathIn(text);
    if (path !== null) this.#named.set(call, path);
  }
}

function pathIn(text: string): string | null {
  try {
    const args: unknown = JSON.parse(text);
    const path = isJsonObject(args) ? args["file_path"] : null;
    return typeof path === "string" ? path : null;
  } catch {
    // The model wrote no JSON: such a call was refused.
    return null;
  }
}

/** What became of each path, change by change: the first says what it held, the last what it was left as. */
class Chains {
  readonly #chains = new Map<
    string,
    { before: Touched; last: Touched; mode: number | null; told: FileTold }
  >();
  lost = 0;

  add(touched: Touched): void {
    const { path, mode } = touched;
    const chain = this.#chains.get(path);
    if (chain === undefined) {
      this.#chains.set(path, { before: touched, last: touched, mode: mode ?? null, told: toldOf(touched) });
      return;
    }
    if (chain.told.outcome === "restorable") {
      const isOurs = chain.last.after === touched.before;
      chain.told = isOurs || isUnknown(touched) ? toldOf(touched) : { path, outcome: "changed_since" };
    }
    chain.last = touched;
    chain.mode ??= mode ?? null;
  }

  told(): Omit<DoneSince, "effects"> {
    const files = [...this.#chains.values()].map(({ before, last, mode, told }) => ({
      ...told,
      wish:
        told.outcome === "restorable"
          ? { path: told.path, before: before.before, after: last.after, ...(mode === null ? {} : { mode }) }
          : null,
    }));
    return { files, lost: this.lost };
  }
}

function isUnknown({ before, after }: Touched): boolean {
  return before === notKept || after === notKnown;
}

function toldOf(touched: Touched): FileTold {
  const { path, why } = touched;
  if (!isUnknown(touched)) return { path, outcome: "restorable" };
  return { path, outcome: "not_kept", ...(why === undefined ? {} : { why }) };
}
