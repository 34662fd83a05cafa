/** LogHistory: a History over the real fold, in memory. It keeps every batch, can fail the k-th append, and checks the log against a replay. */
import assert from "node:assert/strict";
import {
  deepFreeze,
  type Entry,
  type EntryBody,
  type EntryKind,
  type LogEntry,
  segmentId,
  sessionId,
  type ToolDefinition,
  YoiError,
  flattenInput,
} from "@yoi/base";
import { createReplay, replay, type SessionState } from "../../../session-store/src/index.ts";
import { buildRequest, type History } from "../../src/index.ts";

export class LogHistory implements History {
  readonly entries: LogEntry[] = [];
  /** Kinds of each batch, in the order in which they became durable. */
  readonly batches: EntryKind[][] = [];
  /** Called before a batch is durable; may throw to fail it. */
  onAppend: (bodies: readonly EntryBody[]) => void | Promise<void> = () => {};
  readonly #replay = createReplay();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: { entries?: readonly LogEntry[] } = {}) {
    if (options.entries !== undefined) {
      for (const entry of options.entries) this.#take(entry);
      return;
    }
    this.#commit([
      {
        kind: "segment_start",
        schema: 1,
        session_id: sessionId("0199a000-0000-7000-8000-000000000001"),
        segment_id: segmentId("0199a000-0000-7000-8000-000000000002"),
        config: { model: "scripted/s.yaml", max_output_tokens: 1000 },
        prompt: "Be brief.",
        documents: [],
        turn_count: 0,
        states: {},
        carried: 0,
      },
      { kind: "segment_ready" },
      { kind: "opened", epoch: 1, version: "0.1.0" },
    ]);
  }

  get state(): SessionState {
    return this.#replay.state;
  }
  get items() {
    return this.state.items;
  }
  get lastSeq() {
    return this.state.lastSeq;
  }
  get unanswered() {
    return this.state.unanswered;
  }
  get approvals() {
    return this.state.approvals;
  }
  get partials() {
    return this.state.partials;
  }
  get measured() {
    return this.state.measured;
  }
  get projection() {
    return this.state.projection;
  }
  get turnCount() {
    return this.state.turnCount;
  }
  get generation() {
    return this.state.generation;
  }
  get pausesInRow() {
    return this.state.pausesInRow;
  }
  get calibration() {
    return this.state.calibration;
  }

  /** One batch after the other, as on a disk; a failed one leaves nothing. */
  append(bodies: readonly EntryBody[]): Promise<readonly Entry[]> {
    assert.ok(bodies.length > 0, "an empty batch");
    const appended = this.#last.then(async () => {
      await this.onAppend(bodies);
      this.batches.push(bodies.map((body) => body.kind));
      return this.#commit(bodies);
    });
    this.#last = appended.catch(() => {});
    return appended;
  }

  say(text: string): Promise<readonly Entry[]> {
    return this.append([
      { kind: "invoke", trigger: "user_send" },
      { kind: "user_input", parts: [{ type: "text", text }] },
    ]);
  }

  kinds(kind: EntryKind): LogEntry[] {
    return this.entries.filter((entry) => entry.kind === kind);
  }

  /** The items as short words, in log order. */
  story(): string[] {
    return this.items.map(({ item }) => {
      switch (item.type) {
        case "user_message":
          return `user: ${flattenInput(item.parts)}`;
        case "assistant_message":
          return `${item.status === "incomplete" ? "cut " : ""}text: ${item.text}`;
        case "reasoning":
          return `${item.status === "incomplete" ? "cut " : ""}reasoning: ${item.text}`;
        case "tool_call":
          return `call: ${item.name} ${item.arguments}`;
        case "tool_result":
          return `${item.is_error ? "error" : "result"}: ${item.summary}`;
        case "system_item":
          return `note: ${item.kind}`;
      }
    });
  }

  /** Live history is what a replay of the log gives (I2). */
  assertReplays(): void {
    const fresh = replay(this.entries);
    for (const view of [
      "items",
      "lastSeq",
      "unanswered",
      "approvals",
      "partials",
      "measured",
      "projection",
      "turnCount",
      "pausesInRow",
    ] as const) {
      assert.deepEqual(fresh[view], this.state[view], view);
    }
  }

  /** The next request can be built: every call has exactly one result, in an order that a provider takes. */
  assertBuilds(tools: readonly ToolDefinition[] = []): void {
    const head = { system: "", tools, config: this.state.config };
    buildRequest(head, this.items, { prune_before: null });
  }

  #commit(bodies: readonly EntryBody[]): Entry[] {
    const batch = this.entries.length;
    return bodies.map((body) => {
      const line = JSON.stringify({ ...body, seq: this.entries.length, batch, ts: 0 });
      const entry = deepFreeze(JSON.parse(line) as Entry);
      this.#take(entry);
      return entry;
    });
  }

  #take(entry: LogEntry): void {
    this.entries.push(entry);
    this.#replay.apply(entry);
  }
}

/** An `onAppend` that fails the k-th append (from 1). */
export function failAppend(k: number): () => void {
  let count = 0;
  return () => {
    count += 1;
    if (count === k) throw diskFull();
  };
}

export function diskFull(): YoiError {
  return new YoiError("disk_full", "The disk is full: make room and resume.");
}
