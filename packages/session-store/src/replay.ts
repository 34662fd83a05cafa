/** Replay: the one fold from log entries to what a Pod knows. Each entry costs what it adds. */
import {
  bytesPerTokenMax,
  canonicalJson,
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
  type MeasuredContext,
  type Projection,
  type RequestConfig,
  type SegmentStart,
  type ToolDefinition,
  type Usage,
  utf8Length,
} from "@yoi/base";
import { Calls } from "./fold-calls.ts";
import { Commands } from "./fold-commands.ts";
import { Spending } from "./fold-spending.ts";
import { Inputs } from "./fold-inputs.ts";
import { Notices } from "./fold-inbox.ts";
import { Partials } from "./fold-partials.ts";
import { keepPosition } from "./position-domain.ts";
import { Submitted } from "./fold-submissions.ts";
import { compactionsInRow, passesByItself, pausedRun } from "./fold-run.ts";
import type { ChildPlace, KeptOnRecord, Replay, RunState, SessionState } from "./session-state.ts";
import { lessBy } from "./less-by.ts";

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
  measured: MeasuredContext | null = null;
  run: RunState = { state: "idle" };
  pausesInRow = 0;
  compaction: SessionState["compaction"] = null;
  compactionsInRow: SessionState["compactionsInRow"] = null;
  #hasImages = false;
  #promptBytes = 0;
  #toolsBytes = utf8Length("[]");
  /** Of the last request: how many items history had when it was sent, and with the last item of its answer; what was asked and how large it was. */
  #answer = { request: -1, asked: 0, items: 0, model: "", bytes: 0 };
  /** When the last run began. */
  #measuredBefore: MeasuredContext | null = null;

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
      this.#hasImages ||= "images" in item && item.images !== undefined;
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
        this.#pruned(entry.saved_tokens ?? 0);
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
        this.#toolsBytes = utf8Length(canonicalJson(entry.tools));
        this.toolsDigest = entry.digest;
        return;
      case "llm_request":
        // What it did not hold can no longer enter history: an older block that is still open stays unfinished for good.
        this.#partials.clear();
        this.#spending.requested(entry);
        this.#answer = {
          request: entry.seq,
          asked: this.items.length,
          items: this.items.length,
          model: entry.config.model,
          bytes: entry.wire.bytes,
        };
        return;
      case "assistant_item":
        this.#assistantItem(entry);
        return;
      case "assistant_partial":
        if (entry.request === this.#answer.request) this.#partials.grown(entry);
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
        if (entry.request === this.#answer.request && entry.attempt === undefined)
          this.#answered(entry.usage);
        return;
      case "turn_end":
        this.turnCount = entry.turn_count;
        this.pausesInRow = 0;
        this.#spending.turnEnded();
        return;
      case "invoke":
        this.run = { state: "running", since: entry.seq };
        this.#measuredBefore = this.measured;
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
    this.#promptBytes = utf8Length(start.prompt);
    this.turnCount = start.turn_count;
    this.#spending.begin(start);
    const { measured = null, projection = noProjection, paused } = start;
    this.pausesInRow = start.pauses_in_row ?? 0;
    this.compactionsInRow = compactionsInRow(start);
    this.measured = measured;
    this.projection = projection;
    if (paused !== undefined) this.run = pausedRun(paused, 0);
  }

  /** What a provider counted held what is not sent any more. */
  #pruned(tokens: number): void {
    this.measured = lessBy(tokens, this.measured);
    this.#measuredBefore = lessBy(tokens, this.#measuredBefore);
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
    // What it was asked with is not history any more, so its count measures nothing.
    this.measured = this.#measuredBefore;
    this.#answer = { ...this.#answer, request: -1 };
  }

  #answered({ input_tokens, output_tokens }: Usage): void {
    const { asked, items, model, bytes } = this.#answer;
    const used = input_tokens + output_tokens;
    this.#spending.counted();
    // Pictures are bytes that no tokens are counted for as for text.
    const isTrue = this.#hasImages || input_tokens * bytesPerTokenMax >= bytes;
    if (isTrue && !this.#hasImages && input_tokens > 0)
      this.#spending.calibrate(model, { bytes, tokens: input_tokens });
    // What was refused, or left no trace, takes nothing from the last measure.
    if (used > 0 || items > asked) {
      const head_bytes = this.#promptBytes + this.#toolsBytes;
      this.measured = { items, tokens: isTrue ? used : 0, model, head_bytes };
    }
    // The answer is whole: a block without an item was dropped by the worker.
    this.#partials.clear();
  }

  #assistantItem(entry: AssistantItemEntry): void {
    this.#partials.done(entry);
    if (entry.request === this.#answer.request) this.#answer.items = this.items.length;
    if (entry.item.type === "tool_call") this.#calls.made(entry.item);
  }
}
