/** Replay: the one fold from log entries to what a Pod knows. Each entry costs what it adds. */
import {
  addRequestCost,
  addUsage,
  isKnown,
  itemOf,
  noCost,
  noProjection,
  noUsage,
  type AssistantItemEntry,
  type AssistantPartial,
  type CallId,
  type CommittedItem,
  type Cost,
  type Entry,
  type JsonValue,
  type LogEntry,
  type MeasuredContext,
  type PartialBlock,
  type Projection,
  type RequestConfig,
  type SegmentStart,
  type ToolDefinition,
  type UnansweredCall,
  type Usage,
} from "@yoi/base";
import type {
  ChildPlace,
  ClosedApproval,
  OpenApproval,
  Replay,
  RunState,
  SessionState,
  Submission,
  WaitingItem,
} from "./session-state.ts";

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

interface BegunRun {
  readonly invoke: number;
  /** Seqs of its input and of the last of what that attached; -1: it has none. */
  readonly inputFrom: number;
  readonly inputThrough: number;
  readonly measured: MeasuredContext | null;
}

class Fold implements SessionState {
  #start: SegmentStart | null = null;
  #config: RequestConfig | null = null;
  readonly items: CommittedItem[] = [];
  readonly #unanswered = new Map<CallId, UnansweredCall>();
  readonly #partials = new Map<string, PartialBlock>();
  readonly #inbox = new Map<number, WaitingItem>();
  readonly #approvals = new Map<CallId, OpenApproval>();
  readonly closedApprovals = new Map<string, ClosedApproval>();
  readonly submissions = new Map<string, Submission>();
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
  usage: Usage = noUsage;
  /** Of the requests that are over. */
  #cost: Cost = noCost;
  /** Of the last request: how many items history had when it was sent, and with the last item of its answer; whether its counts came. */
  #answer = { request: -1, asked: 0, items: 0, isCounted: true };
  /** The last run: its `invoke`, its input with what that attached, and what was measured when it began. */
  #begun: BegunRun = { invoke: -1, inputFrom: -1, inputThrough: -1, measured: null };

  get session() {
    return this.#started().session_id;
  }
  get segment() {
    return this.#started().segment_id;
  }
  get prompt() {
    return this.#started().prompt;
  }
  get documents() {
    return this.#started().documents;
  }
  get config() {
    return this.#config ?? this.#started().config;
  }
  /** In the order in which the model made the calls. */
  get unanswered() {
    return [...this.#unanswered.values()];
  }
  /** A request that nobody has counted yet, or ever will because its process died, is one without a known cost. */
  get cost() {
    return this.#answer.isCounted ? this.#cost : addRequestCost(this.#cost, undefined);
  }
  get inbox() {
    return [...this.#inbox.values()];
  }
  get approvals() {
    return [...this.#approvals.values()];
  }
  get states() {
    return this.#started().states;
  }
  get partials() {
    return [...this.#partials.values()];
  }

  #started(): SegmentStart {
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
    if (item !== null) this.items.push({ seq: entry.seq, item });
    if (isKnown(entry)) this.#applyKnown(entry);
  }

  #applyKnown(entry: Entry): void {
    switch (entry.kind) {
      case "segment_start":
        this.#start = entry;
        this.turnCount = entry.turn_count;
        return;
      case "opened":
        this.epoch = entry.epoch;
        return;
      case "config_changed":
        this.#config = entry.config;
        return;
      case "projection":
        this.projection = entry.projection;
        return;
      case "tools_changed":
        this.tools = entry.tools;
        this.toolsDigest = entry.digest;
        return;
      case "llm_request":
        // What it did not hold can no longer enter history: an older block that is still open stays unfinished for good.
        this.#partials.clear();
        this.#cost = this.cost;
        this.#answer = {
          request: entry.seq,
          asked: this.items.length,
          items: this.items.length,
          isCounted: false,
        };
        return;
      case "assistant_item":
        this.#assistantItem(entry);
        return;
      case "assistant_partial":
        this.#partial(entry);
        return;
      case "tool_started": {
        const call = this.#unanswered.get(entry.call);
        if (call !== undefined) this.#unanswered.set(entry.call, { ...call, started: true });
        this.#closeApproval(entry.call, "start");
        return;
      }
      case "tool_result":
        this.#unanswered.delete(entry.item.call);
        this.#closeApproval(entry.item.call, "result");
        return;
      case "approval_asked": {
        const { seq, call, digest, reason, expires } = entry;
        this.#approvals.delete(call);
        this.#approvals.set(call, { seq, call, digest, reason, expires, answer: null });
        return;
      }
      case "approval_answered": {
        const open = this.#approvals.get(entry.call);
        if (open?.digest !== entry.digest || open.answer !== null) return;
        const { seq, answer, reason = null } = entry;
        this.#approvals.set(entry.call, { ...open, answer: { seq, answer, reason } });
        return;
      }
      case "llm_usage":
        this.usage = addUsage(this.usage, entry.usage);
        this.#cost = addRequestCost(this.#cost, entry.cost_nano_usd);
        // What came of an attempt that another one followed is nowhere in history.
        if (entry.request === this.#answer.request && entry.attempt === undefined)
          this.#answered(entry.usage);
        return;
      case "turn_end":
        this.turnCount = entry.turn_count;
        return;
      case "invoke":
        this.run = { state: "running", since: entry.seq };
        this.#begun = { invoke: entry.seq, inputFrom: -1, inputThrough: -1, measured: this.measured };
        return;
      case "run_paused": {
        const { reason, detail = "", until = null } = entry;
        this.run = { state: "paused", since: entry.seq, reason, detail, until };
        return;
      }
      case "run_completed":
      case "run_errored":
        this.run = { state: "idle" };
        return;
      case "turn_rolled_back":
        this.#rollBack(entry.from_seq);
        return;
      case "inbox_accepted":
        this.#inbox.set(entry.seq, {
          seq: entry.seq,
          item: entry.item,
          ...(entry.quiet === true ? { quiet: true } : {}),
        });
        this.#submitted(entry.submission, { seq: entry.seq, given: entry.item });
        return;
      case "system_item":
        if (entry.delivers !== undefined) this.#inbox.delete(entry.delivers);
        return;
      case "child_cursor":
        this.childCursors.set(entry.child, { segment: entry.segment, seq: entry.through });
        return;
      case "extension":
        this.extensions.set(entry.domain, entry.payload);
        return;
      case "user_input":
        // Its invoke stands right before it, and what it attached right behind.
        this.#submitted(entry.submission, { seq: entry.seq - 1, given: entry.parts });
        this.#begun = {
          ...this.#begun,
          inputFrom: entry.seq,
          inputThrough: entry.seq + (entry.attachments ?? 0),
        };
        return;
      case "segment_ready":
        return;
      default:
        entry satisfies never;
    }
  }

  #closeApproval(call: CallId, by: ClosedApproval["by"]): void {
    const open = this.#approvals.get(call);
    if (open === undefined) return;
    this.#approvals.delete(call);
    this.closedApprovals.set(open.digest, { call, by, answered: open.answer?.seq ?? null });
  }

  #submitted(name: string | undefined, submission: Submission): void {
    if (name !== undefined && !this.submissions.has(name)) this.submissions.set(name, submission);
  }

  /** The input of the run that `invoke` began, and what it attached, leave history; what others put into it since stays. */
  #rollBack(invoke: number): void {
    this.run = { state: "idle" };
    const { inputFrom, inputThrough, measured } = this.#begun;
    if (this.#begun.invoke !== invoke || inputFrom === -1) return;
    const from = this.items.findIndex(({ seq }) => seq >= inputFrom);
    const behind = this.items.findIndex(({ seq }) => seq > inputThrough);
    this.items.splice(from, (behind === -1 ? this.items.length : behind) - from);
    this.#begun = { ...this.#begun, inputFrom: -1 };
    // What it was asked with is not history any more, so its count measures nothing.
    this.measured = measured;
    this.#answer = { ...this.#answer, request: -1 };
  }

  #answered({ input_tokens, output_tokens }: Usage): void {
    const { asked, items } = this.#answer;
    const tokens = input_tokens + output_tokens;
    this.#answer.isCounted = true;
    // What was refused, or left no trace, takes nothing from the last measure.
    if (tokens > 0 || items > asked) this.measured = { items, tokens };
    // The answer is whole: a block without an item was dropped by the worker.
    this.#partials.clear();
  }

  #assistantItem(entry: AssistantItemEntry): void {
    this.#partials.delete(`${entry.request}.${entry.index}`);
    if (entry.request === this.#answer.request) this.#answer.items = this.items.length;
    if (entry.item.type !== "tool_call") return;
    const { call, name, arguments: text } = entry.item;
    this.#unanswered.set(call, { call, name, arguments: text, started: false });
  }

  #partial(entry: AssistantPartial): void {
    if (entry.request !== this.#answer.request) return;
    const { request, index, block, from } = entry;
    const key = `${request}.${index}`;
    const before = this.#partials.get(key)?.text ?? "";
    // A piece was lost between them (its write failed): text with a hole would be wrong, so the block ends here.
    if (from > before.length) return;
    const name = entry.name ?? this.#partials.get(key)?.name;
    const text = (from === before.length ? before : before.slice(0, from)) + entry.text;
    this.#partials.set(key, { request, index, block, text, ...(name === undefined ? {} : { name }) });
  }
}
