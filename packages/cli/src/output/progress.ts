/** Progress of a run on stderr, when that is a terminal: one live line, and one line for each finished call. */
import {
  addRequestCost,
  type Cost,
  dollars,
  type Entry,
  escapeControls,
  type LlmUsage,
  noCost,
} from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { alertText } from "./alert-text.ts";
import { compactedText } from "./transcript/entry-blocks.ts";

export interface ProgressSink {
  readonly isTerminal: boolean;
  /** Columns; at least 20 is assumed. */
  readonly columns: number;
  write(text: string): void;
}

const clearLine = "\r\u001b[K";

/** Says what is going on. Off a terminal only retries, continuations and warnings are said, a line each. */
export class Progress {
  readonly #sink: ProgressSink;
  #input = 0;
  #output = 0;
  #cost: Cost = noCost;
  #streamed = 0;
  #live = false;

  constructor(sink: ProgressSink) {
    this.#sink = sink;
  }

  live(live: Live): void {
    switch (live.type) {
      case "retry":
        return this.#line(
          `${live.message} Trying again in ${(live.wait_ms / 1000).toFixed(1)} s (${live.attempt} of ${live.attempts_max}).`,
        );
      case "continuation":
        return this.#line(
          `The answer broke off (${live.reason}); going on (${live.attempt} of ${live.attempts_max}).`,
        );
      case "alert":
        return this.#line(alertText(live));
      default:
        if (this.#sink.isTerminal) this.#show(live);
    }
  }

  committed(entry: Entry): void {
    if (entry.kind === "llm_usage") this.#count(entry);
    if (entry.kind === "compaction_begun" && this.#sink.isTerminal) this.#status("compacting");
    if (entry.kind === "compacted") return this.#line(compactedText(entry));
    if (entry.kind !== "tool_result" || !this.#sink.isTerminal) return;
    const { is_error: isError, name, summary } = entry.item;
    this.#line(`${isError ? "✗" : "✓"} ${name}: ${summary}`);
  }

  /** A line of its own, above the live one. */
  say(text: string): void {
    this.#line(text);
  }

  /** Takes the live line away. */
  end(): void {
    if (this.#live) this.#sink.write(clearLine);
    this.#live = false;
  }

  /** What one sending used. The live line shows the last prompt that was counted, and everything else of the run together. */
  #count({ usage, cost_nano_usd }: LlmUsage): void {
    this.#cost = addRequestCost(this.#cost, cost_nano_usd);
    if (usage.input_tokens > 0) this.#input = usage.input_tokens;
    this.#output += usage.output_tokens;
    if (this.#sink.isTerminal) this.#status("working");
  }

  #show(live: Live): void {
    switch (live.type) {
      case "turn":
        this.#streamed = 0;
        return this.#status("thinking");
      case "delta":
        this.#streamed += live.text.length;
        return this.#status(
          `${live.block === "tool_call" ? "calling a tool" : live.block} ${this.#streamed} characters`,
        );
      case "tool_start":
        return this.#status(live.title);
      case "tool_progress": {
        const lastLine = live.text.trimEnd().split("\n").at(-1) ?? "";
        return lastLine === "" ? undefined : this.#status(lastLine);
      }
      default:
    }
  }

  #status(text: string): void {
    const { nano_usd, unpriced_requests } = this.#cost;
    const money = nano_usd === 0 ? "" : `, ${unpriced_requests > 0 ? "over " : ""}${dollars(nano_usd)}`;
    const line = `… ${escapeControls(text)} (${this.#input} in, ${this.#output} out${money})`;
    this.#sink.write(`${clearLine}${[...line].slice(0, Math.max(20, this.#sink.columns) - 1).join("")}`);
    this.#live = true;
  }

  #line(text: string): void {
    this.end();
    this.#sink.write(`${escapeControls(text)}\n`);
  }
}
