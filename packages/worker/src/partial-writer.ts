/** PartialWriter: puts what has arrived of an open answer on record while it streams, at a bounded pace, and never makes the stream wait. */
import { type AssistantPartial, type Timers, utf8Length } from "@yoi/base";
import type { Block } from "./answer.ts";
import type { History } from "./history.ts";
import type { WorkerLimits } from "./limits.ts";

/** A UTF-16 unit is at most 6 bytes of JSON: the entry of one piece stays within 64 KiB, whatever the text is and however much of it waits. */
export const pieceUnitsMax = 10_000;

interface Parts {
  readonly history: History;
  readonly timers: Timers;
  readonly limits: Pick<WorkerLimits, "partialIntervalMs" | "partialBytesMax">;
  /** Called once when a piece could not be recorded: the run must end. */
  readonly failed: (error: unknown) => void;
}

export class PartialWriter {
  readonly #parts: Parts;
  readonly #request: number;
  /** Per block, what is on record or on its way there: UTF-16 length. */
  readonly #recorded = new Map<number, number>();
  readonly #waiting = new Map<number, Block>();
  #waitingBytes = 0;
  #inFlight: Promise<void> | null = null;
  #due = false;
  #cancelTimer: (() => void) | null = null;
  #closed = false;

  constructor(request: number, parts: Parts) {
    this.#request = request;
    this.#parts = parts;
  }

  /** `text` has just been added at the end of `block`. */
  arrived(block: Block, text: string): void {
    if (this.#closed || text === "") return;
    this.#waiting.set(block.index, block);
    this.#waitingBytes += utf8Length(text);
    if (this.#waitingBytes >= this.#parts.limits.partialBytesMax) this.#write();
    else
      this.#cancelTimer ??= this.#parts.timers.after(this.#parts.limits.partialIntervalMs, () =>
        this.#write(),
      );
  }

  /** Nothing more is written; resolves when what was on its way is durable or has failed. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    await this.#inFlight;
  }

  #write(): void {
    this.#stopTimer();
    // One at a time: on a slow disk pieces grow instead of queueing up.
    if (this.#inFlight !== null) {
      this.#due = true;
      return;
    }
    const bodies = [...this.#waiting.values()].flatMap((block) => this.#pieces(block));
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.#due = false;
    this.#inFlight = this.#append(bodies);
  }

  async #append(bodies: readonly AssistantPartial[]): Promise<void> {
    try {
      await this.#parts.history.append(bodies);
    } catch (error) {
      this.#closed = true;
      this.#stopTimer();
      this.#parts.failed(error);
    }
    this.#inFlight = null;
    if (this.#due && !this.#closed && this.#waiting.size > 0) this.#write();
  }

  /** What of `block` is not on record yet, in order. */
  #pieces(block: Block): AssistantPartial[] {
    const pieces: AssistantPartial[] = [];
    let from = this.#recorded.get(block.index) ?? 0;
    while (from < block.text.length) {
      const text = unitsFrom(block.text, from);
      pieces.push({
        kind: "assistant_partial",
        request: this.#request,
        index: block.index,
        block: block.block,
        ...(block.block === "tool_call" ? { name: block.name } : {}),
        from,
        text,
      });
      from += text.length;
    }
    this.#recorded.set(block.index, from);
    return pieces;
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}

/** At most `pieceUnitsMax` units of `text`; no surrogate pair is split. */
function unitsFrom(text: string, from: number): string {
  const end = from + pieceUnitsMax;
  const splitsPair = /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(end - 1, end + 1));
  return text.slice(from, splitsPair ? end - 1 : end);
}
