/** The event trace of one owner: a file beside the log for people who look into timing. Nothing reads it back, and nothing depends on it. */
import { type Clock, type Entry, messageOf, utf8Length } from "@yoi/base";
import type { TraceFile } from "@yoi/session-store";
import type { WorkerEvent } from "@yoi/worker";
import { lineOfEvent, linesOfBatch, type TraceLine } from "./trace-line.ts";

/** A trace file takes no more lines once it would be larger. */
export const traceBytesMax = 64 * 1024 * 1024;
/** Lines that wait for a slow disk; what comes beyond is counted and left out. */
export const traceBacklogBytesMax = 1024 * 1024;

export interface EventTraceOptions {
  readonly open: () => Promise<TraceFile>;
  readonly clock: Clock;
  /** Names of the tools there are. */
  readonly tools: readonly string[];
  /** A sentence for the user; called at most once. Must not throw. */
  readonly warn: (text: string) => void;
}

/** A failure of the trace ends the trace, with one warning, and changes nothing else. */
export class EventTrace {
  readonly #options: EventTraceOptions;
  readonly #tools: ReadonlySet<string>;
  readonly #startedMs: number;
  /** Null: nothing is traced any more. */
  #file: TraceFile | null;
  /** Lines, and where the ones behind go on in another file. */
  readonly #waiting: (string | EventTraceOptions["open"])[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #turn = 0;
  #request: number | null = null;
  #working: Promise<void> | null = null;

  private constructor(options: EventTraceOptions, file: TraceFile | null) {
    this.#options = options;
    this.#tools = new Set(options.tools);
    this.#startedMs = options.clock.monotonic();
    this.#file = file;
  }

  /** Never rejects. */
  static async open(options: EventTraceOptions): Promise<EventTrace> {
    try {
      return new EventTrace(options, await options.open());
    } catch (error) {
      options.warn(`The event trace cannot be written, so nothing is traced: ${messageOf(error)}`);
      return new EventTrace(options, null);
    }
  }

  readonly observe = (event: WorkerEvent): void => {
    if (event.type === "turn_start") this.#turn = event.turn;
    const line = lineOfEvent(event, this.#tools);
    if (line !== null) this.#put(line);
  };

  readonly committed = (entries: readonly Entry[]): void => {
    for (const entry of entries) if (entry.kind === "llm_request") this.#request = entry.seq;
    for (const line of linesOfBatch(entries)) this.#put(line);
  };

  /** The log goes on in another segment: what is traced from here on goes into the file beside that. */
  rotated(open: EventTraceOptions["open"]): void {
    if (this.#file === null) return;
    this.#request = null;
    this.#waiting.push(open);
    this.#working ??= this.#work(this.#file);
  }

  /** Writes what waits and closes the file. Never rejects. */
  async close(): Promise<void> {
    await this.#working;
    this.#put({ kind: "lifecycle", label: "closed", data: {} });
    await this.#working;
    const file = this.#file;
    this.#file = null;
    try {
      await file?.close();
    } catch (error) {
      this.#warn(file, error);
    }
  }

  #put({ kind, label, data }: TraceLine): void {
    const file = this.#file;
    if (file === null) return;
    const { clock } = this.#options;
    const line = {
      ts: Math.floor(clock.now()),
      elapsed_ms: Math.round((clock.monotonic() - this.#startedMs) * 1000) / 1000,
      turn: this.#turn,
      request: this.#request,
      kind,
      label,
      data,
      ...(this.#dropped === 0 ? {} : { dropped: this.#dropped }),
    };
    const text = `${JSON.stringify(line)}\n`;
    const bytes = utf8Length(text);
    if (this.#waitingBytes + bytes > traceBacklogBytesMax) {
      this.#dropped += 1;
      return;
    }
    this.#dropped = 0;
    this.#waiting.push(text);
    this.#waitingBytes += bytes;
    this.#working ??= this.#work(file);
  }

  /** One write at a time, each with everything that waits. */
  async #work(file: TraceFile): Promise<void> {
    // Whatever is traced in this turn of the event loop shares a write.
    await Promise.resolve();
    let current = file;
    try {
      while (this.#waiting.length > 0) {
        const [first] = this.#waiting;
        if (typeof first === "function") {
          this.#waiting.shift();
          await current.close();
          current = await first();
          this.#file = current;
        } else await this.#write(current);
      }
    } catch (error) {
      this.#file = null;
      this.#waiting.length = 0;
      this.#warn(current, error);
      await current.close().catch(() => {}); // The first failure is the one to tell.
    }
    this.#working = null;
  }

  /** All that waits for this file. */
  async #write(file: TraceFile): Promise<void> {
    const move = this.#waiting.findIndex((one) => typeof one === "function");
    const lines = this.#waiting.splice(0, move === -1 ? this.#waiting.length : move).join("");
    const bytes = utf8Length(lines);
    this.#waitingBytes -= bytes;
    if (file.bytes + bytes > traceBytesMax) {
      throw new Error(`it has reached its limit of ${traceBytesMax} bytes; remove it to trace again`);
    }
    await file.append(lines);
  }

  #warn(file: TraceFile | null, error: unknown): void {
    this.#options.warn(
      `The event trace ${file?.path ?? ""} is not written any further, and the run goes on: ${messageOf(error)}`,
    );
  }
}
