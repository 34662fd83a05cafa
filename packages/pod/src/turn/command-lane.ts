/** CommandLane: a command of the user runs alone. What its record says of files would be wrong beside a call that writes, and that call's too. */
import { type Tool, YoiError } from "@yoi/base";

interface Waiting {
  readonly isCommand: boolean;
  readonly begin: () => void;
}

/** Calls go on beside each other as the worker lets them; commands one by one. Whoever came first begins first. */
export class CommandLane {
  #calls = 0;
  #hasCommand = false;
  #waiting: readonly Waiting[] = [];

  /** A call of a tool that may write waits for commands, and they for it. */
  around(tool: Tool): Tool {
    if (tool.readOnly || tool.writesNoFile === true) return tool;
    return {
      ...tool,
      execute: (args, context) => this.#call(context.signal, () => tool.execute(args, context)),
    };
  }

  /** Throws cancelled where the signal aborts before it began, and what the work throws. */
  async alone<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(true, signal);
    return await this.#until(work, () => (this.#hasCommand = false));
  }

  /** What nobody keeps waiting is not a moment later than without a lane: results keep their order. */
  #call<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#hasCommand || this.#waiting.length > 0)
      return this.#turn(false, signal).then(() => this.#until(work, () => (this.#calls -= 1)));
    this.#calls += 1;
    return this.#until(work, () => (this.#calls -= 1));
  }

  #until<T>(work: () => Promise<T>, over: () => void): Promise<T> {
    const left = () => {
      over();
      this.#beginNext();
    };
    try {
      const going = work();
      going.then(left, left);
      return going;
    } catch (error) {
      // A tool that throws before it gives a promise holds nobody up either.
      left();
      throw error;
    }
  }

  #turn(isCommand: boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      reject(new YoiError("cancelled", "It was stopped before it began."));
      this.#beginNext();
    };
    const waiting: Waiting = {
      isCommand,
      begin: () => {
        signal.removeEventListener("abort", leave);
        resolve();
      },
    };
    if (signal.aborted) {
      leave();
      return promise;
    }
    signal.addEventListener("abort", leave, { once: true });
    this.#waiting = [...this.#waiting, waiting];
    this.#beginNext();
    return promise;
  }

  #beginNext(): void {
    for (;;) {
      const [first, ...rest] = this.#waiting;
      if (first === undefined || this.#hasCommand || (first.isCommand && this.#calls > 0)) return;
      this.#waiting = rest;
      if (first.isCommand) this.#hasCommand = true;
      else this.#calls += 1;
      first.begin();
    }
  }
}
