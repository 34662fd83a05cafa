/** InFlightTracker: what of the present is on no record yet: blocks of the answer that is arriving, and calls that go on. */
import { type CallId, isKnown, type LogEntry } from "@yoi/base";
import { type InFlight, inFlightCharsMax, type Live } from "@yoi/protocol";
import { lastChars } from "../hook/said.ts";

/** The end of a text that grows, and how long all of it is. */
class Tail {
  #kept = "";
  #length = 0;

  append(text: string): void {
    this.#length += text.length;
    this.#kept += text;
    // Cut now and then only: each cut copies.
    if (this.#kept.length > 2 * inFlightCharsMax) this.#kept = lastChars(this.#kept, inFlightCharsMax);
  }

  /** `from`: UTF-16 offset of `text` in all of it. */
  get view(): { readonly from: number; readonly text: string } {
    const text = lastChars(this.#kept, inFlightCharsMax);
    return { from: this.#length - text.length, text };
  }
}

type BlockStart = Extract<Live, { readonly type: "block_start" }>;
type ToolStart = Extract<Live, { readonly type: "tool_start" }>;

export class InFlightTracker {
  #request: number | null = null;
  readonly #blocks = new Map<number, { readonly start: BlockStart; readonly text: Tail }>();
  readonly #calls = new Map<CallId, { readonly start: ToolStart; readonly output: Tail }>();

  /** Seq of the request that is being answered; null: none, or one that was sent before anybody listened. */
  get request(): number | null {
    return this.#request;
  }

  get view(): InFlight {
    return {
      request: this.#request,
      blocks: Array.from(this.#blocks.values(), ({ start: { index, block, name }, text }) => ({
        index,
        block,
        name,
        ...text.view,
      })),
      calls: Array.from(this.#calls.values(), ({ start: { call, name, title }, output }) => ({
        call,
        name,
        title,
        output: output.view.text,
      })),
    };
  }

  /** What came on record is not in flight any more. */
  committed(entry: LogEntry): void {
    if (!isKnown(entry)) return;
    switch (entry.kind) {
      case "llm_request":
        this.#request = entry.seq;
        this.#blocks.clear();
        return;
      case "assistant_item":
        if (entry.request === this.#request) this.#blocks.delete(entry.index);
        return;
      case "llm_usage":
        // The answer is over: what of it is on no record now was dropped.
        if (entry.request === this.#request && entry.attempt === undefined) this.#answered();
        return;
      case "tool_result":
        this.#calls.delete(entry.item.call);
        return;
      case "run_paused":
      case "run_completed":
      case "run_errored":
      case "turn_rolled_back":
        this.#clear();
        return;
      default:
        return;
    }
  }

  /** History goes on in another segment: no run works meanwhile. */
  rotated(): void {
    this.#clear();
  }

  said(live: Live): void {
    switch (live.type) {
      case "compaction_begun":
      case "compaction_ended":
        return;
      case "block_start":
        this.#blocks.set(live.index, { start: live, text: new Tail() });
        return;
      case "delta":
        this.#blocks.get(live.index)?.text.append(live.text);
        return;
      case "tool_start":
        this.#calls.set(live.call, { start: live, output: new Tail() });
        return;
      case "tool_progress":
        this.#calls.get(live.call)?.output.append(live.text);
        return;
      case "retry":
      case "continuation":
        this.#blocks.clear();
        return;
      case "run_ended":
      case "run_failed":
        this.#clear();
        return;
      case "state":
      case "turn":
      case "alert":
      case "shutdown":
        return;
    }
  }

  #answered(): void {
    this.#request = null;
    this.#blocks.clear();
  }

  #clear(): void {
    this.#answered();
    this.#calls.clear();
  }
}
