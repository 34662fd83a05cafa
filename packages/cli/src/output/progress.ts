/** Progress of a run on stderr, when that is a terminal: one live line, and one line for each finished call. */
import { addRequestCost, type Cost, dollars, escapeControls, type LlmUsage, noCost } from "@yoi/base";
import type { PodEvent, PodObserver } from "@yoi/pod";
import { alertText } from "./alert-text.ts";

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

  readonly observe: PodObserver = (event) => {
    switch (event.type) {
      case "retry":
        return this.#line(
          `${event.failure.message} Trying again in ${(event.waitMs / 1000).toFixed(1)} s (${event.attempt} of ${event.attemptsMax}).`,
        );
      case "continuation":
        return this.#line(
          `The answer broke off (${event.reason}); going on (${event.attempt} of ${event.attemptsMax}).`,
        );
      case "alert":
        return this.#line(alertText(event.alert));
      default:
        if (this.#sink.isTerminal) this.#observeLive(event);
    }
  };

  /** What one sending used. The live line shows the last prompt that was counted, and everything else of the run together. */
  count({ usage, cost_nano_usd }: LlmUsage): void {
    this.#cost = addRequestCost(this.#cost, cost_nano_usd);
    if (usage.input_tokens > 0) this.#input = usage.input_tokens;
    this.#output += usage.output_tokens;
    if (this.#sink.isTerminal) this.#status("working");
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

  #observeLive(event: PodEvent): void {
    switch (event.type) {
      case "turn_start":
        this.#streamed = 0;
        return this.#status("thinking");
      case "block_delta":
        this.#streamed += event.text.length;
        return this.#status(
          `${event.block === "tool_call" ? "calling a tool" : event.block} ${this.#streamed} characters`,
        );
      case "tool_start":
        return this.#status(event.title);
      case "tool_progress": {
        const lastLine = event.text.trimEnd().split("\n").at(-1) ?? "";
        return lastLine === "" ? undefined : this.#status(lastLine);
      }
      case "tool_end":
        return this.#line(
          `${event.result.is_error ? "✗" : "✓"} ${event.result.name}: ${event.result.summary}`,
        );
      case "denied":
        return this.#line(`✗ ${event.name}: ${event.reason}`);
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
