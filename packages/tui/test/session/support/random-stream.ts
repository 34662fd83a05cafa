/** A Pod's log and live events at random, valid in their order: the real fold of the log, plan of a segment and hub, without a worker. */
import {
  type CallId,
  callId,
  type EntryBody,
  entryId,
  type LogEntry,
  noProjection,
  noSpent,
  noUsage,
  podName,
  type RequestConfig,
  segmentId,
  sessionId,
  type SystemItem,
  type ToolResult,
} from "@yoi/base";
import { type Live, type PodState, type PodView, readPodLine, type Rotation } from "@yoi/protocol";
import { createReplay, type Replay, replay, type SessionState } from "@yoi/session-store";
import { approvalDigest } from "../../../../pod/src/approval/digest.ts";
import { pendingOf } from "../../../../pod/src/approval/pending.ts";
import { planSegment, withIds } from "../../../../pod/src/history/segment-plan.ts";
import { Hub } from "../../../../pod/src/serve/hub.ts";
import { rotationOf } from "../../../../pod/src/serve/segment-trail.ts";
import type { ServedPod } from "../../../../pod/src/serve/served-pod.ts";
import type { SessionEvent } from "../../../src/session/session.ts";

type Watcher = Parameters<ServedPod["watch"]>[0];

export const name = podName("sim");
const about: PodView["about"] = {
  version: "0",
  model: "scripted/a",
  workspace: "/w",
  sandbox: "on",
  network: false,
  permission_mode: "allow-in-scope",
  tools: [],
};
const config: RequestConfig = { model: "scripted/a" };
const session = sessionId("01920000-0000-7000-8000-000000000001");

interface Segment {
  readonly id: string;
  readonly rotation: Rotation | null;
  readonly entries: LogEntry[];
}

/** One that follows, from its first line on. */
export interface Follower {
  tell(event: SessionEvent): void;
}

interface Block {
  readonly index: number;
  readonly block: "text" | "reasoning" | "tool_call";
  text: string;
  recorded: number;
}

/** What is going on, for what may come next. */
interface Now {
  phase: "resting" | "requesting" | "answering" | "calls";
  request: number;
  invoke: number;
  blocks: Block[];
}

export class RandomStream {
  readonly segments: Segment[] = [];
  readonly #choose: (below: number) => number;
  #replay: Replay = createReplay();
  #hub: Hub;
  #watcher: Watcher | null = null;
  #drive: PodState = "idle";
  #title: string | null = null;
  #now: Now = { phase: "resting", request: 0, invoke: 0, blocks: [] };
  #count = 0;
  readonly #followers = new Set<Follower>();
  /** Of commands that go on, by their id. */
  readonly #outputs = new Map<string, string>();

  /** @param choose an integer from 0 to below the one given. */
  constructor(choose: (below: number) => number) {
    this.#choose = choose;
    this.segments.push({ id: this.#newSegment(), rotation: null, entries: [] });
    const { id } = this.#segment;
    this.#write([
      {
        kind: "segment_start",
        schema: 1,
        session_id: session,
        segment_id: segmentId(id),
        config,
        prompt: "p",
        documents: [],
        turn_count: 0,
        states: {},
        carried: 0,
      },
      { kind: "segment_ready" },
      { kind: "opened", epoch: 1, version: "0" },
    ]);
    this.#hub = this.#hosted();
  }

  get state(): SessionState {
    return this.#replay.state;
  }

  get view(): PodView {
    return this.#hub.view;
  }

  /** All that somebody is told who comes now, and has seen nothing, or `after` so many entries of that segment. */
  attach(after: { readonly segment: number; readonly entries: number } | null = null): SessionEvent[] {
    const events: SessionEvent[] = [];
    for (const [at, { rotation, entries }] of this.segments.entries()) {
      if (after !== null && at < after.segment) continue;
      const from = after !== null && at === after.segment ? after.entries : 0;
      if (rotation !== null && from === 0 && !(after === null && at === 0))
        events.push({ type: "rotated", rotation });
      for (const entry of entries.slice(from)) events.push({ type: "entry", entry });
    }
    events.push({ type: "snapshot", view: this.view });
    return events;
  }

  get place() {
    return { segment: this.segments.length - 1, entries: this.#segment.entries.length };
  }

  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  /** Something happens. */
  step(): void {
    const { phase } = this.#now;
    if (this.#choose(4) === 0) return this.#beside();
    switch (phase) {
      case "resting":
        return this.#rest();
      case "requesting":
        return this.#request();
      case "answering":
        return this.#answer();
      case "calls":
        return this.#calls();
    }
  }

  #rest(): void {
    const choice = this.#choose(8);
    if (choice === 0) return this.#rotate("forked_from");
    if (choice === 1) return this.#compact();
    if (choice === 2) return this.#restart();
    const isResume = this.state.run.state === "paused" && choice < 5;
    const from = this.state.lastSeq + 1;
    const closing = this.state.unanswered.map(({ call, name: tool, started }): EntryBody => {
      const summary = started ? "outcome unknown, check before repeating" : "not executed";
      return {
        kind: "tool_result",
        item: { type: "tool_result", call, name: tool, summary, is_error: true },
      };
    });
    const attachments = this.#choose(3);
    this.#commit([
      ...closing,
      { kind: "invoke", trigger: isResume ? "resume" : "user_send" },
      ...(isResume
        ? []
        : ([
            { kind: "user_input", parts: [{ type: "text", text: this.#text() }], attachments },
            ...Array.from({ length: attachments }, () => systemItem("file_attachment", this.#text())),
          ] as const)),
    ]);
    this.#now = { phase: "requesting", request: 0, invoke: from + closing.length, blocks: [] };
    this.#drives("running");
  }

  #request(): void {
    switch (this.#choose(7)) {
      case 0:
        return this.#deliver();
      case 1:
        return this.#end();
      case 2:
        return this.#stop();
      default: {
        const request = this.state.lastSeq + 1;
        this.#commit([
          {
            kind: "llm_request",
            through: request - 1,
            items: this.state.items.length,
            projection: noProjection,
            tools: "t",
            config: this.state.config,
            adapter: { name: "a", version: "1" },
            lowering: 1,
            digest: "d",
            wire: { sha256: "s", bytes: 1, method: "POST", path: "/", headers: {} },
          },
        ]);
        this.#now = { ...this.#now, phase: "answering", request, blocks: [] };
      }
    }
  }

  #answer(): void {
    const { request, blocks } = this.#now;
    const last = blocks.at(-1);
    switch (this.#choose(9)) {
      case 0:
      case 1: {
        const block = (["text", "reasoning", "tool_call"] as const)[this.#choose(3)] ?? "text";
        const index = blocks.length;
        blocks.push({ index, block, text: "", recorded: 0 });
        return this.#say({
          type: "block_start",
          request,
          index,
          block,
          name: block === "tool_call" ? "Bash" : null,
        });
      }
      case 2:
      case 3:
      case 4: {
        if (last === undefined) return;
        const text = last.block === "tool_call" && last.text === "" ? '{"command":"' : this.#text();
        last.text += text;
        return this.#say({ type: "delta", request, index: last.index, block: last.block, text });
      }
      case 5: {
        if (last === undefined || last.recorded === last.text.length) return;
        const { index, block, recorded: from, text } = last;
        this.#commit([{ kind: "assistant_partial", request, index, block, from, text: text.slice(from) }]);
        last.recorded = text.length;
        return;
      }
      case 6:
        if (blocks.length > 0) return this.#breakOff();
        return this.#say({
          type: "retry",
          request,
          attempt: 1,
          attempts_max: 3,
          wait_ms: 5,
          error_code: "x",
          message: "m",
          status: null,
        });
      default:
        return blocks.length === 0 ? this.#stop() : this.#commitAnswer();
    }
  }

  #commitAnswer(): void {
    const { request, blocks } = this.#now;
    const items = blocks.map(({ index, block, text }): EntryBody => {
      const head = { kind: "assistant_item", request, index } as const;
      if (block === "tool_call")
        return {
          ...head,
          item: {
            type: "tool_call",
            call: this.#call(request, index),
            name: "Bash",
            arguments: text === "" ? "{}" : `${text}"}`,
          },
        };
      return {
        ...head,
        item: { type: block === "text" ? "assistant_message" : "reasoning", text, status: "completed" },
      };
    });
    this.#commit([
      ...items,
      { kind: "llm_usage", request, usage: noUsage, finish: "stop" },
      { kind: "turn_end", turn_count: this.state.turnCount + 1 },
    ]);
    this.#now = {
      ...this.#now,
      blocks: [],
      phase: this.state.unanswered.length === 0 ? "requesting" : "calls",
    };
  }

  #breakOff(): void {
    const { request, blocks } = this.#now;
    const kept = blocks.flatMap(({ index, block, text }): EntryBody[] =>
      block === "tool_call" || text.trim() === ""
        ? []
        : [
            {
              kind: "assistant_item",
              request,
              index,
              item: {
                type: block === "text" ? "assistant_message" : "reasoning",
                text,
                status: "incomplete",
              },
            },
          ],
    );
    const usage = { kind: "llm_usage", request, usage: noUsage, finish: "interrupted" } as const;
    this.#commit([...kept, systemItem("interrupt", "cut"), usage]);
    this.#now = { ...this.#now, blocks: [], phase: "requesting" };
    this.#say({ type: "continuation", request, attempt: 1, attempts_max: 3, reason: "eof" });
  }

  #calls(): void {
    const open = this.state.unanswered;
    const one = open[this.#choose(Math.max(1, open.length))];
    if (one === undefined) {
      this.#now = { ...this.#now, phase: "requesting" };
      return;
    }
    const { call, name: tool, arguments: args, started } = one;
    const waits = this.state.approvals.find((asked) => asked.call === call && asked.answer === null);
    if (waits !== undefined) {
      const { digest } = waits;
      if (this.#choose(2) === 0) return;
      const answer = this.#choose(2) === 0 ? "allow" : "deny";
      this.#commit([{ kind: "approval_answered", call, digest, answer }]);
      if (answer === "deny")
        this.#result({ call, name: tool, summary: "denied", is_error: true, refusal: "denied" });
      return;
    }
    switch (this.#choose(10)) {
      case 0:
        if (started || this.state.approvals.some((asked) => asked.call === call)) return;
        return this.#ask(call, tool, args);
      case 1:
        return this.#end();
      case 2:
      case 3:
      case 4:
        if (started) return this.#say({ type: "tool_progress", call, text: `${this.#text()}\n` });
        this.#commit([{ kind: "tool_started", call }]);
        return this.#say({ type: "tool_start", call, name: tool, title: `${tool} x` });
      default:
        if (started)
          this.#result({
            call,
            name: tool,
            summary: this.#text(),
            content: this.#text(),
            is_error: this.#choose(3) === 0,
          });
    }
  }

  #ask(call: CallId, tool: string, args: string): void {
    let read: unknown;
    try {
      read = JSON.parse(args);
    } catch {
      return;
    }
    const digest = approvalDigest({
      pod: name,
      segment: this.state.segment,
      call,
      tool,
      arguments: read as never,
    });
    this.#commit([
      {
        kind: "approval_asked",
        call,
        digest,
        reason: "r",
        expires: 9,
        ...(this.#choose(2) === 0 ? { offers: ["x"] } : {}),
      },
    ]);
  }

  #result(item: Omit<ToolResult, "type">): void {
    this.#commit([{ kind: "tool_result", item: { type: "tool_result", ...item } }]);
  }

  /** How runs end that are not stopped. */
  #end(): void {
    const ends: readonly EntryBody[] = [
      { kind: "run_completed", result: "finished" },
      { kind: "run_completed", result: "limit_reached", detail: "turns" },
      { kind: "run_errored", code: "internal", message: this.#text() },
      { kind: "run_paused", reason: "provider_limit", detail: "d", until: 77 },
      { kind: "run_paused", reason: "user" },
    ];
    this.#close(ends[this.#choose(ends.length)] ?? { kind: "run_completed", result: "cancelled" });
  }

  #stop(): void {
    const { invoke } = this.#now;
    const since = this.state.items.filter(({ seq }) => seq > invoke).map(({ item }) => item);
    const isEmpty = since.every(
      ({ type, ...item }) =>
        type === "user_message" || (type === "system_item" && "kind" in item && item.kind !== "interrupt"),
    );
    this.#close(
      isEmpty
        ? { kind: "turn_rolled_back", from_seq: invoke }
        : { kind: "run_completed", result: "cancelled" },
    );
  }

  #close(body: EntryBody): void {
    this.#now = { ...this.#now, phase: "resting", blocks: [] };
    this.#commit([body]);
    this.#drives(body.kind === "run_paused" ? "paused" : "idle");
  }

  #drives(state: PodState): void {
    this.#drive = state;
    this.#say({ type: "state", state });
  }

  /** What comes at any time. */
  #beside(): void {
    const { state } = this;
    switch (this.#choose(11)) {
      case 0:
        return this.#commit([
          { kind: "inbox_accepted", item: systemItem("notification", this.#text()).item },
        ]);
      case 1:
        return this.#commit([
          {
            kind: "input_queued",
            parts: [{ type: "text", text: this.#text() }],
            when: this.#choose(2) === 0 ? "boundary" : "run_end",
            submission: `q${this.#count}`,
          },
        ]);
      case 2: {
        const [queued] = state.queue;
        return queued === undefined
          ? undefined
          : this.#commit([{ kind: "input_unqueued", queued: queued.seq }]);
      }
      case 3:
        return this.#commit([
          { kind: "user_command", command: `echo ${this.#text()}`, submission: `c${this.#count}` },
        ]);
      case 4: {
        const [command] = state.commands;
        if (command === undefined) return;
        const text = `${this.#text()}\n`;
        this.#outputs.set(command.id, (this.#outputs.get(command.id) ?? "") + text);
        return this.#say({ type: "command_output", id: command.id, text });
      }
      case 5: {
        const [command] = state.commands;
        if (command === undefined) return;
        const body = `The user ran this command in the workspace:\n${command.command}\nIt ended: exit 0.\nIt wrote nothing.`;
        const item = {
          ...systemItem("user_command", body).item,
          record: { command: command.id, end: "exited", exit: 0 },
        };
        return this.#commit([{ kind: "inbox_accepted", item, quiet: true }]);
      }
      case 6:
        return this.#say({ type: "alert", level: "warn", source: "host", message: this.#text(), at: 1 });
      case 7: {
        this.#title = this.#choose(2) === 0 ? null : this.#text();
        return this.#say({ type: "title", title: this.#title });
      }
      case 8:
        return this.#commit([{ kind: "config_changed", config: { model: `scripted/${this.#text()}` } }]);
      case 9:
        return this.#commit([{ kind: "later_kind", opaque: true, fields: { a: 1 } }]);
      case 10:
        return this.#commit([
          { kind: "projection", projection: noProjection, reason: "pruned", message: "m", saved_tokens: 5 },
        ]);
    }
  }

  #deliver(): void {
    const { state } = this;
    const [waiting] = state.inbox;
    const [queued] = state.queue;
    if (waiting !== undefined)
      return this.#commit([{ kind: "system_item", item: waiting.item, delivers: waiting.seq }]);
    if (queued !== undefined)
      return this.#commit([
        { kind: "user_input", parts: queued.parts, submission: queued.submission, delivers: queued.seq },
      ]);
  }

  #compact(): void {
    const compaction = { trigger: "user", compactor: null } as const;
    this.#commit([{ kind: "compaction_begun", ...compaction, tokens: 900 }]);
    const made = { ...compaction, spent: noSpent, tokens_before: 900, items_before: 3 } as const;
    if (this.#choose(3) > 0)
      return this.#rotate("compacted_from", {
        ...made,
        kind: "compacted",
        outcome: "committed",
        tokens_after: 90,
        items_after: 2,
        items_kept: 1,
      });
    this.#commit([
      {
        ...made,
        kind: "compacted",
        outcome: "failed",
        message: "m",
        tokens_after: null,
        items_after: null,
        items_kept: null,
      },
    ]);
  }

  #rotate(from: "compacted_from" | "forked_from", ...behind: readonly EntryBody[]): void {
    const { state: now } = this;
    const { entries, id: segment } = this.#segment;
    // Behind what began the segment.
    const first = entries.findIndex(({ kind }) => kind === "opened") + 1;
    const back = from === "forked_from" ? this.#choose(entries.length - first + 1) : 0;
    const at = back === 0 ? now : replay(entries.slice(0, entries.length - back));
    const left = { segment_id: segmentId(segment), seq: now.lastSeq, sum: "0" };
    const id = this.#newSegment();
    const kept = withIds(at.items);
    const items =
      from === "forked_from"
        ? kept
        : [
            { id: entryId(now.generation + 1, 1), item: systemItem("summary", this.#text()).item },
            ...keptBehind(kept),
          ];
    const plan = planSegment({
      segment: segmentId(id),
      from,
      origin: { ...left, seq: at.lastSeq },
      left,
      at,
      now,
      items,
      started: at.unanswered.filter(({ started }) => started).map(({ call }) => call),
      states: {},
      projection: noProjection,
      measured: null,
      inbox: now.inbox,
      behind: from === "forked_from" ? [systemItem("lineage", "went back"), ...behind] : behind,
    });
    this.#replay = createReplay();
    const { start, carried } = plan;
    const bodies: readonly EntryBody[] = [
      { kind: "segment_start", ...start, carried: carried.length },
      ...carried,
      { kind: "segment_ready" },
      { kind: "opened", epoch: now.epoch, version: "0" },
      ...plan.behind,
    ];
    const made = bodies.map((body, seq) => ({ ...body, seq, batch: 0, ts: seq }) as LogEntry);
    const rotation = rotationOf(made);
    this.segments.push({ id, rotation, entries: [] });
    this.#write(bodies);
    this.#drive = this.state.run.state === "paused" ? "paused" : "idle";
    this.#now = { ...this.#now, phase: "resting", blocks: [] };
    this.#watcher?.rotated(made);
    this.#tell({ type: "rotated", rotation });
    for (const entry of made) this.#tell({ type: "entry", entry });
    this.#join(this.#hub);
  }

  /** The process dies; another one takes the log. Whoever follows connects again. */
  #restart(): void {
    const { epoch, run } = this.state;
    const { place } = this;
    this.#hub.close();
    const dead = this.state.commands.map(({ id, command }): EntryBody => {
      const item = systemItem(
        "user_command",
        `The user ran this command in the workspace:\n${command}\nIt ended: outcome unknown.\nIt wrote nothing.`,
      ).item;
      return {
        kind: "inbox_accepted",
        item: { ...item, record: { command: id, end: "unknown", exit: null } },
        quiet: true,
      };
    });
    this.#write([
      { kind: "opened", epoch: epoch + 1, version: "0" },
      ...dead,
      ...(run.state === "running"
        ? [{ kind: "run_paused", reason: "interrupted", detail: "d" } as const]
        : []),
    ]);
    this.#drive = this.state.run.state === "paused" ? "paused" : "idle";
    this.#now = { ...this.#now, phase: "resting", blocks: [] };
    this.#outputs.clear();
    this.#tell({ type: "disconnected", why: "gone" });
    for (const entry of this.#segment.entries.slice(place.entries)) this.#tell({ type: "entry", entry });
    this.#hub = this.#hosted();
  }

  /** A hub that this stream follows, for all that follow it. */
  #hosted(): Hub {
    const hub = new Hub(this.#served(), (text) => text);
    this.#join(hub);
    return hub;
  }

  #join(hub: Hub): void {
    hub.join({ push: ({ bytes }) => this.#heard(bytes), rotated: () => {} });
  }

  #heard(bytes: Uint8Array): void {
    const line = readPodLine(bytes.subarray(0, -1));
    if (!("event" in line)) throw new Error("an answer in the stream");
    switch (line.event) {
      case "entry":
        return this.#tell({ type: "entry", entry: line.entry });
      case "snapshot":
        return this.#tell({ type: "snapshot", view: line.view });
      case "live":
        return this.#tell({ type: "live", live: line.live, n: line.n });
      default:
        throw new Error(`a ${line.event} in the stream`);
    }
  }

  #commit(
    bodies: readonly (
      | EntryBody
      | { readonly kind: string; readonly opaque: true; readonly fields: object }
    )[],
  ): void {
    const entries = this.#write(bodies as readonly EntryBody[]);
    this.#watcher?.committed(entries);
  }

  /** On record, and told by nobody. */
  #write(bodies: readonly EntryBody[]): readonly LogEntry[] {
    const { entries } = this.#segment;
    const batch = entries.length;
    const written = bodies.map(
      (body, at) => ({ ...body, seq: batch + at, batch, ts: batch + at }) as LogEntry,
    );
    for (const entry of written) {
      this.#replay.apply(entry);
      entries.push(entry);
    }
    return written;
  }

  #say(live: Live): void {
    this.#hub.say(live);
  }

  #served(): ServedPod {
    const stream = this;
    return {
      name,
      get about() {
        return { ...about, model: stream.state.config.model };
      },
      alerts: [],
      get state() {
        return stream.state;
      },
      get driveState() {
        return stream.#drive;
      },
      get approvals() {
        return pendingOf(stream.state, name);
      },
      get present() {
        const { commands } = stream.state;
        return {
          ...(stream.#title === null ? {} : { title: stream.#title }),
          ...(commands.length === 0
            ? {}
            : {
                commands: commands.map(({ id, command }) => ({
                  id,
                  command,
                  output: stream.#outputs.get(id) ?? "",
                })),
              }),
          context: { tokens: 1, window: 10 },
          spent: {
            usage: noUsage,
            cost: { nano_usd: 0, unpriced_requests: 0 },
            tree: { usage: noUsage, cost: { nano_usd: 0, unpriced_requests: 0 } },
          },
        };
      },
      watch: (watcher: Watcher) => {
        stream.#watcher = watcher;
        return () => {
          stream.#watcher = null;
        };
      },
    } as unknown as ServedPod;
  }

  #tell(event: SessionEvent): void {
    for (const follower of this.#followers) follower.tell(event);
  }

  get #segment(): Segment {
    const segment = this.segments.at(-1);
    if (segment === undefined) throw new Error("no segment");
    return segment;
  }

  #newSegment(): string {
    return `01920000-0000-7000-8000-0000000001${String(this.segments.length).padStart(2, "0")}`;
  }

  #call(request: number, index: number): CallId {
    return callId(request, index, this.state.generation);
  }

  #text(): string {
    this.#count += 1;
    return ["one", "two words", "a\nb", "漢字", "x".repeat(30)][this.#choose(5)] + String(this.#count);
  }
}

/** What a compaction keeps whole: from the last input on. */
function keptBehind(items: ReturnType<typeof withIds>): ReturnType<typeof withIds> {
  const from = items.findLastIndex(({ item }) => item.type === "user_message");
  return from === -1 ? [] : items.slice(from);
}

function systemItem(kind: SystemItem["kind"], body: string) {
  const item: SystemItem = { type: "system_item", kind, source: "host", body };
  return { kind: "system_item", item } as const;
}
