/** DoneSince: what was done behind a place, whatever history that is part of: calls that have effects, and files, with what they held there. */
import {
  type CallId,
  isJsonObject,
  isKnown,
  type Item,
  itemOf,
  type JsonObject,
  type LogEntry,
  outcomeUnknown,
  type SystemItem,
} from "@yoi/base";
import type { SegmentRef, SessionStore } from "@yoi/session-store";
import { notKept, notKnown, readTouched } from "@yoi/tools";
import { readEntries } from "../timeline/find-entry.ts";
import { type LifeSegment, lifeOf } from "../timeline/life.ts";
import type { TimelineStore } from "../timeline/timeline.ts";
import { FileChains, type ToldFile } from "./file-chains.ts";
import type { Place } from "./place.ts";

export type FilesStore = TimelineStore & Pick<SessionStore, "readLines" | "attach" | "copies">;

export interface DoneSince {
  /** Calls that were started of tools that do more than read, and commands of the user. */
  readonly effects: number;
  /** Each path once, in the order of the first change. */
  readonly files: readonly ToldFile[];
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
  const files = new FileChains();
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
  readonly #files: FileChains;
  readonly #copies: ReturnType<FilesStore["copies"]> | null;
  /** Paths of calls of file tools, as the model named them. */
  readonly #named = new Map<CallId, string>();
  readonly #started = new Set<CallId>();
  readonly #isReadOnly: (tool: string) => boolean;
  readonly #tools = new Map<CallId, string>();
  effects = 0;

  constructor(
    files: FileChains,
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
    // What the user ran: where its outcome is accepted, told or not.
    const accepted = isKnown(entry) && entry.kind === "inbox_accepted" ? entry.item : null;
    if (accepted?.kind === "user_command" && accepted.record !== undefined) {
      if (hasRun(accepted)) this.effects += 1;
      await this.#record(accepted.record);
    }
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

/** What became of a command of the user: it began. */
export function hasRun({ kind, record }: SystemItem): boolean {
  return kind === "user_command" && record?.["end"] !== "refused";
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
