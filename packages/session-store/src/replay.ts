/** Replay: the one fold from log entries to what a Pod knows. Each entry costs what it adds. */
import {
  entryId,
  isKnown,
  itemOf,
  noProjection,
  type AssistantItemEntry,
  type Carried,
  type CommittedItem,
  type Entry,
  type Item,
  type JsonValue,
  type LogEntry,
  type Projection,
  type RequestConfig,
  type SegmentStart,
  type ToolDefinition,
  type Usage,
} from "@yoi/base";
import { Calls } from "./fold-calls.ts";
import { Commands } from "./fold-commands.ts";
import { Spending } from "./fold-spending.ts";
import { Inputs } from "./fold-inputs.ts";
import { Measure } from "./fold-measure.ts";
import { Notices } from "./fold-inbox.ts";
import { Partials } from "./fold-partials.ts";
import { keepPosition } from "./position-domain.ts";
import { Submitted } from "./fold-submissions.ts";
import { compactionsInRow, passesByItself, pausedRun } from "./fold-run.ts";
import type { ChildPlace, KeptOnRecord, Replay, RunState, SessionState } from "./session-state.ts";

/** An empty fold. Its state may be read once `segment_start` has been applied. Entries out of order are a bug: they throw. */
export function createReplay(): Replay {
  const state = new Fold();
  return { state, apply: (entry) => state.apply(entry) };
}

/** The state after all of `entries`, which begin with `segment_start`. */
export function replay(entries: Iterable<LogEntry>): SessionState {
  const fold = new Fold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

class Fold implements SessionState {
  #start: SegmentStart | null = null;
  #config: RequestConfig | null = null;
  readonly items: CommittedItem[] = [];
  readonly #calls = new Calls();
  readonly #spending = new Spending();
  readonly #measure = new Measure();
  readonly #partials = new Partials();
  readonly #inbox = new Notices();
  readonly #inputs = new Inputs();
  readonly #commands = new Commands();
  readonly #submitted = new Submitted();
  readonly kept: KeptOnRecord[] = [];
  readonly childCursors = new Map<string, ChildPlace>();
  readonly extensions = new Map<string, JsonValue>();
  tools: readonly ToolDefinition[] = [];
  toolsDigest: string | null = null;
  projection: Projection = noProjection;
  lastSeq = -1;
  epoch = 0;
  turnCount = 0;
  run: RunState = { state: "idle" };
  pausesInRow = 0;
  compaction: SessionState["compaction"] = null;
  compactionsInRow: SessionState["compactionsInRow"] = null;

  get session() {
    return this.#segmentStart().session_id;
  }
  get segment() {
    return this.#segmentStart().segment_id;
  }
  get prompt() {
    return this.#segmentStart().prompt;
  }
  get documents() {
    return this.#segmentStart().documents;
  }
  get config() {
    return this.#config ?? this.#segmentStart().config;
  }
  get unanswered() {
    return this.#calls.unanswered;
  }
  get usage() {
    return this.#spending.usage;
  }
  get cost() {
    return this.#spending.cost;
  }
  get spent() {
    return this.#spending.spent;
  }
  get isUncounted() {
    return this.#spending.isUncounted;
  }
  get measured() {
    return this.#measure.context;
  }
  get calibration() {
    return this.#spending.calibration;
  }
  get generation() {
    return this.#segmentStart().generation ?? 0;
  }
  get origin() {
    const { compacted_from, forked_from } = this.#segmentStart();
    return compacted_from ?? forked_from ?? null;
  }
  get left() {
    return this.#segmentStart().left ?? null;
  }
  get inbox() {
    return this.#inbox.waiting;
  }
  get submissions() {
    return this.#submitted.byName;
  }
  get queue() {
    return this.#inputs.waiting;
  }
  get commands() {
    return this.#commands.open;
  }
  get queueHeld() {
    return this.#inputs.isHeld;
  }
  get approvals() {
    return this.#calls.approvals;
  }
  get closedApprovals() {
    return this.#calls.closedApprovals;
  }
  get states() {
    return this.#segmentStart().states;
  }
  get partials() {
    return this.#partials.open;
  }

  #segmentStart(): SegmentStart {
    if (this.#start === null) throw new Error("no segment_start has been applied");
    return this.#start;
  }

  apply(entry: LogEntry): void {
    if (entry.seq !== this.lastSeq + 1) throw new Error(`entry ${entry.seq} applied after ${this.lastSeq}`);
    if ((entry.seq === 0) !== (entry.kind === "segment_start")) {
      throw new Error(`entry ${entry.seq} is a ${entry.kind}`);
    }
    this.lastSeq = entry.seq;
    const item = itemOf(entry);
    if (item !== null) {
      this.items.push(this.#committed(entry, item));
      this.#measure.cameIn(item);
    }
    this.#spending.passTime(entry);
    if (isKnown(entry)) this.#applyKnown(entry);
  }

  #applyKnown(entry: Entry): void {
    const generation = this.#start?.generation ?? 0;
    this.#inputs.apply(entry, generation);
    this.#submitted.apply(entry, generation);
    this.#commands.apply(entry, generation);
    switch (entry.kind) {
      case "segment_start":
        this.#begin(entry);
        return;
      case "carried":
        this.#carried(entry);
        return;
      case "opened":
        this.epoch = entry.epoch;
        return;
      case "config_changed":
        this.#config = entry.config;
        return;
      case "projection":
        this.projection = entry.projection;
        this.#measure.pruned(entry.saved_tokens ?? 0);
        return;
      case "quarantined": {
        const { target, part } = entry;
        const quarantined = [...(this.projection.quarantined ?? []), { target, part }];
        this.projection = { ...this.projection, quarantined };
        return;
      }
      case "compaction_begun":
        this.compaction = entry;
        return;
      case "compacted":
        this.compaction = null;
        this.#spending.add(entry.spent);
        if (entry.outcome === "committed") {
          const { in_row: times = 0 } = entry;
          this.compactionsInRow = times === 0 ? null : { times, turnCount: this.turnCount };
        }
        return;
      case "tools_changed":
        this.tools = entry.tools;
        this.#measure.toolsChanged(entry.tools);
        this.toolsDigest = entry.digest;
        return;
      case "llm_request":
        // What it did not hold can no longer enter history: an older block that is still open stays unfinished for good.
        this.#partials.clear();
        this.#spending.requested(entry);
        this.#measure.requested(entry, this.items.length);
        return;
      case "assistant_item":
        this.#assistantItem(entry);
        return;
      case "assistant_partial":
        if (this.#measure.isOfAnswer(entry.request)) this.#partials.grown(entry);
        return;
      case "tool_started":
        this.#calls.started(entry.call);
        return;
      case "tool_result":
        this.#calls.answered(entry.item.call);
        return;
      case "approval_asked":
        this.#calls.asked(entry);
        return;
      case "approval_answered":
        if (this.#calls.decided(entry) && entry.answer === "allow" && entry.keep !== undefined) {
          const id = entryId(this.generation, entry.seq);
          this.kept.push({ id, digest: entry.digest, keep: entry.keep });
        }
        return;
      case "llm_usage":
        this.#spending.sent(entry);
        // What came of an attempt that another one followed is nowhere in history.
        if (this.#measure.isOfAnswer(entry.request) && entry.attempt === undefined)
          this.#answered(entry.usage);
        return;
      case "turn_end":
        this.turnCount = entry.turn_count;
        this.pausesInRow = 0;
        this.#spending.turnEnded();
        return;
      case "invoke":
        this.run = { state: "running", since: entry.seq };
        this.#measure.runBegan();
        return;
      case "run_paused":
        this.run = pausedRun(entry, entry.seq);
        if (passesByItself(entry.reason)) this.pausesInRow += 1;
        return;
      case "run_completed":
      case "run_errored":
        this.run = { state: "idle" };
        return;
      case "turn_rolled_back":
        this.#rollBack(entry.from_seq);
        return;
      case "inbox_accepted":
        this.#inbox.accepted(entry, this.generation === 0 ? undefined : entryId(this.generation, entry.seq));
        keepPosition(this.extensions, entry);
        return;
      case "system_item":
        this.#inbox.told(entry.delivers);
        return;
      case "child_cursor":
        this.childCursors.set(entry.child, { segment: entry.segment, seq: entry.through });
        return;
      case "extension":
        this.extensions.set(entry.domain, entry.payload);
        return;
      case "user_input":
        this.compactionsInRow = null;
        return;
      case "input_queued":
      case "user_command":
      case "input_unqueued":
      case "segment_ready":
        return;
      default:
        entry satisfies never;
    }
  }

  #begin(start: SegmentStart): void {
    this.#start = start;
    this.turnCount = start.turn_count;
    this.#spending.begin(start);
    const { projection = noProjection, paused } = start;
    this.pausesInRow = start.pauses_in_row ?? 0;
    this.compactionsInRow = compactionsInRow(start);
    this.#measure.begin(start);
    this.projection = projection;
    if (paused !== undefined) this.run = pausedRun(paused, 0);
  }

  /** As its entry was applied in an earlier segment. */
  #carried(entry: Carried & { readonly seq: number }): void {
    switch (entry.of) {
      case "item":
        if (entry.item.type === "tool_call") this.#calls.made(entry.item);
        if (entry.item.type === "tool_result") this.#calls.answered(entry.item.call);
        return;
      case "tool_started":
        this.#calls.started(entry.call);
        return;
      case "inbox_accepted":
        this.#inbox.accepted(entry, entry.id);
        return;
      case "input_queued":
      case "user_command":
        return;
      case "approval_answered": {
        const { id, digest, keep } = entry;
        this.kept.push({ id, digest, keep });
        return;
      }
      case "child_cursor":
        this.childCursors.set(entry.child, { segment: entry.segment, seq: entry.through });
        return;
      case "extension":
        this.extensions.set(entry.domain, entry.payload);
        return;
      default:
        entry satisfies never;
    }
  }

  #committed(entry: LogEntry, item: Item): CommittedItem {
    const { seq } = entry;
    if (isKnown(entry) && entry.kind === "carried" && entry.of === "item") {
      const { id, folded } = entry;
      return { seq, item, id, ...(folded === true ? { folded } : {}) };
    }
    const { generation } = this;
    return generation === 0 ? { seq, item } : { seq, item, id: entryId(generation, seq) };
  }

  /** What the run that `invoke` began was given leaves history; what others put into it since stays. */
  #rollBack(invoke: number): void {
    this.run = { state: "idle" };
    const gone = this.#inputs.rolledBack(invoke);
    if (gone.length === 0) return;
    for (const { from, through } of gone) {
      const first = this.items.findIndex(({ seq }) => seq >= from);
      const behind = this.items.findIndex(({ seq }) => seq > through);
      this.items.splice(first, (behind === -1 ? this.items.length : behind) - first);
    }
    this.#measure.rolledBack();
  }

  #answered(usage: Usage): void {
    this.#spending.counted();
    const counted = this.#measure.answered(usage);
    if (counted !== null) this.#spending.calibrate(counted.model, counted);
    // The answer is whole: a block without an item was dropped by the worker.
    this.#partials.clear();
  }

  #assistantItem(entry: AssistantItemEntry): void {
    this.#partials.done(entry);
    if (this.#measure.isOfAnswer(entry.request)) this.#measure.answerGrew(this.items.length);
    if (entry.item.type === "tool_call") this.#calls.made(entry.item);
  }
}
