/** CommandLane: a command of the user runs alone. What its record says of files would be wrong beside a call that writes, and that call's too. */
import { type Tool, YoiError } from "@yoi/base";

/** What whoever runs a command is told of who waits for whom. */
export interface LaneTold {
  /** It waits for calls, or for other commands. */
  readonly waits: () => void;
  /** The first call waits for it. */
  readonly isAwaited: () => void;
}

interface Waiting {
  /** Null: it is a call. */
  readonly command: LaneTold | null;
  readonly begin: () => void;
}

/** Calls go on beside each other as the worker lets them; commands one by one. Whoever came first begins first. */
export class CommandLane {
  #calls = 0;
  /** The command that goes on, and whether it was told that a call waits for it. */
  #command: { readonly told: LaneTold; isAwaited: boolean } | null = null;
  #waiting: readonly Waiting[] = [];
  /** Names of the tools whose calls wait. */
  readonly #writers = new Set<string>();

  /** A call of a tool that may write waits for commands, and they for it. */
  around(tool: Tool): Tool {
    if (tool.readOnly || tool.writesNoFile === true) return tool;
    this.#writers.add(tool.definition.name);
    return {
      ...tool,
      execute: (args, context) => this.#call(context.signal, () => tool.execute(args, context)),
    };
  }

  /** Throws cancelled where the signal aborts before it began, and what the work throws. */
  async alone<T>(signal: AbortSignal, work: () => Promise<T>, told: LaneTold): Promise<T> {
    await this.#turn(told, signal);
    return await this.#until(work, () => (this.#command = null));
  }

  /** Before a call of this tool is on record as started: a process that dies while it waits leaves no call of which nobody knows what it did. Throws cancelled. */
  async mayBegin(tool: string, signal: AbortSignal): Promise<void> {
    if (!this.#writers.has(tool) || !this.#isBusy) return;
    await this.#turn(null, signal);
    this.#calls -= 1;
    this.#beginNext();
  }

  get #isBusy(): boolean {
    return this.#command !== null || this.#waiting.length > 0;
  }

  /** What nobody keeps waiting is not a moment later than without a lane: results keep their order. */
  #call<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) return this.#turn(null, signal).then(() => this.#until(work, () => (this.#calls -= 1)));
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

  #turn(command: LaneTold | null, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      reject(new YoiError("cancelled", "It was stopped before it began."));
      this.#beginNext();
    };
    const waiting: Waiting = {
      command,
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
    if (this.#waiting.includes(waiting)) command?.waits();
    this.#tellAwaited();
    return promise;
  }

  #beginNext(): void {
    for (;;) {
      const [first, ...rest] = this.#waiting;
      if (first === undefined || this.#command !== null || (first.command !== null && this.#calls > 0)) break;
      this.#waiting = rest;
      if (first.command === null) this.#calls += 1;
      else this.#command = { told: first.command, isAwaited: false };
      first.begin();
    }
    this.#tellAwaited();
  }

  #tellAwaited(): void {
    if (this.#command === null || this.#command.isAwaited) return;
    if (this.#waiting.every(({ command }) => command !== null)) return;
    this.#command.isAwaited = true;
    this.#command.told.isAwaited();
  }
}
