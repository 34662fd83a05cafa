/** A Pod's log and live events at random, valid in their order, without a worker. */
import {
  type CallId,
  callId,
  type EntryBody,
  noProjection,
  noSpent,
  noUsage,
  type ToolResult,
} from "@yoi/base";
import { approvalDigest } from "../../../../pod/src/approval/digest.ts";
import { aside } from "./asides.ts";
import { LogRig, name, systemItem } from "./log-rig.ts";

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
  readonly rig = new LogRig();
  readonly #choose: (below: number) => number;
  #now: Now = { phase: "resting", request: 0, invoke: 0, blocks: [] };
  #count = 0;

  /** @param choose an integer from 0 to below the one given. */
  constructor(choose: (below: number) => number) {
    this.#choose = choose;
  }

  /** Something happens. */
  step(): void {
    const { phase } = this.#now;
    if (this.#choose(4) === 0)
      return aside(
        this.rig,
        (below) => this.#choose(below),
        () => this.#text(),
      );
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
    if (choice === 0) return this.rig.rotate("forked_from", this.#choose(this.rig.leavable + 1));
    if (choice === 1) return this.#compact();
    if (choice === 2) return this.rig.restart();
    const isResume = this.rig.state.run.state === "paused" && choice < 5;
    const from = this.rig.state.lastSeq + 1;
    const cut = this.rig.state.partials.flatMap(({ request, index, block, text }): EntryBody[] => {
      if (block === "tool_call" || text.trim() === "") return [];
      const type = block === "text" ? "assistant_message" : "reasoning";
      return [{ kind: "assistant_item", request, index, item: { type, text, status: "incomplete" } }];
    });
    const results = this.rig.state.unanswered.map(({ call, name: tool, started }): EntryBody => {
      const summary = started ? "outcome unknown, check before repeating" : "not executed";
      return {
        kind: "tool_result",
        item: { type: "tool_result", call, name: tool, summary, is_error: true },
      };
    });
    const closing = [...cut, ...results];
    const attachments = this.#choose(3);
    this.rig.commit([
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
    this.rig.drives("running");
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
        const request = this.rig.state.lastSeq + 1;
        this.rig.commit([
          {
            kind: "llm_request",
            through: request - 1,
            items: this.rig.state.items.length,
            projection: noProjection,
            tools: "t",
            config: this.rig.state.config,
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
    switch (this.#choose(10)) {
      case 9:
        return this.#die();
      case 0:
      case 1: {
        const block = (["text", "reasoning", "tool_call"] as const)[this.#choose(3)] ?? "text";
        const index = blocks.length;
        blocks.push({ index, block, text: "", recorded: 0 });
        return this.rig.say({
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
        const piece = this.#text();
        const text = last.block === "tool_call" ? inJson(piece, last.text === "") : piece;
        last.text += text;
        return this.rig.say({ type: "delta", request, index: last.index, block: last.block, text });
      }
      case 5: {
        if (last === undefined || last.recorded === last.text.length) return;
        const { index, block, recorded: from, text } = last;
        this.rig.commit([{ kind: "assistant_partial", request, index, block, from, text: text.slice(from) }]);
        last.recorded = text.length;
        return;
      }
      case 6:
        if (blocks.length > 0) return this.#breakOff();
        return this.rig.say({
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

  /** What is on record of the answer is all that is left of it. */
  #die(): void {
    this.rig.restart();
    this.#close({ kind: "run_paused", reason: "interrupted" });
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
    this.rig.commit([
      ...items,
      { kind: "llm_usage", request, usage: noUsage, finish: "stop" },
      { kind: "turn_end", turn_count: this.rig.state.turnCount + 1 },
    ]);
    this.#now = {
      ...this.#now,
      blocks: [],
      phase: this.rig.state.unanswered.length === 0 ? "requesting" : "calls",
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
    this.rig.commit([...kept, systemItem("interrupt", "cut"), usage]);
    this.#now = { ...this.#now, blocks: [], phase: "requesting" };
    this.rig.say({ type: "continuation", request, attempt: 1, attempts_max: 3, reason: "eof" });
  }

  #calls(): void {
    const open = this.rig.state.unanswered;
    const one = open[this.#choose(Math.max(1, open.length))];
    if (one === undefined) {
      this.#now = { ...this.#now, phase: "requesting" };
      return;
    }
    const { call, name: tool, arguments: args, started } = one;
    const waits = this.rig.state.approvals.find((asked) => asked.call === call && asked.answer === null);
    if (waits !== undefined) {
      const { digest } = waits;
      if (this.#choose(2) === 0) return;
      const answer = this.#choose(2) === 0 ? "allow" : "deny";
      this.rig.commit([{ kind: "approval_answered", call, digest, answer }]);
      if (answer === "deny")
        this.#result({ call, name: tool, summary: "denied", is_error: true, refusal: "denied" });
      return;
    }
    switch (this.#choose(10)) {
      case 0:
      case 8:
      case 9:
        if (started || this.rig.state.approvals.some((asked) => asked.call === call)) return;
        return this.#ask(call, tool, args);
      case 1:
        return this.#end();
      case 2:
      case 3:
      case 4:
        if (started) return this.rig.say({ type: "tool_progress", call, text: `${this.#text()}\n` });
        this.rig.commit([{ kind: "tool_started", call }]);
        return this.rig.say({ type: "tool_start", call, name: tool, title: `${tool} x` });
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
      segment: this.rig.state.segment,
      call,
      tool,
      arguments: read as never,
    });
    this.rig.commit([
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
    this.rig.commit([{ kind: "tool_result", item: { type: "tool_result", ...item } }]);
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
    const since = this.rig.state.items.filter(({ seq }) => seq > invoke).map(({ item }) => item);
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
    this.rig.commit([body]);
    this.rig.drives(body.kind === "run_paused" ? "paused" : "idle");
  }

  #deliver(): void {
    const { state } = this.rig;
    const [waiting] = state.inbox;
    const [queued] = state.queue;
    if (waiting !== undefined)
      return this.rig.commit([{ kind: "system_item", item: waiting.item, delivers: waiting.seq }]);
    if (queued !== undefined)
      return this.rig.commit([
        { kind: "user_input", parts: queued.parts, submission: queued.submission, delivers: queued.seq },
      ]);
  }

  #compact(): void {
    const compaction = { trigger: "user", compactor: null } as const;
    this.rig.commit([{ kind: "compaction_begun", ...compaction, tokens: 900 }]);
    const made = { ...compaction, spent: noSpent, tokens_before: 900, items_before: 3 } as const;
    if (this.#choose(3) > 0)
      return this.rig.rotate("compacted_from", 0, {
        ...made,
        kind: "compacted",
        outcome: "committed",
        tokens_after: 90,
        items_after: 2,
        items_kept: 1,
      });
    this.rig.commit([
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

  #text(): string {
    this.#count += 1;
    return ["one", "two words", "a\nb", "漢字", "x".repeat(30)][this.#choose(5)] + String(this.#count);
  }

  #call(request: number, index: number): CallId {
    return callId(request, index, this.rig.state.generation);
  }
}

/** A piece of arguments that can be read once they are whole. */
function inJson(piece: string, isFirst: boolean): string {
  return (isFirst ? '{"command":"' : "") + JSON.stringify(piece).slice(1, -1);
}
