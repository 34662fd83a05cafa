/** The terminal this program runs on: keys and sizes from it, bytes to it, and whatever happens, it is given back as it was. */
import type { Timers } from "@yoi/base";
import type { InputEvent } from "../keys/key-event.ts";
import type { ScreenSize } from "../view/line.ts";
import type { Capabilities } from "./capabilities.ts";
import { TerminalInput } from "./input.ts";
import * as modes from "./modes.ts";

/** What of a terminal's input is used: of `process.stdin`. */
export interface InputStream {
  readonly isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  off(event: "end" | "close", listener: () => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** Of `process.stdout`. */
export interface OutputStream {
  readonly columns?: number;
  readonly rows?: number;
  write(bytes: string): boolean;
  on(event: "resize" | "drain", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "resize" | "drain", listener: () => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** The monitor hears of an exception before whoever tells of it on the terminal. */
export type ProgramEnd = "exit" | "uncaughtExceptionMonitor";

/** Where the end of the program is heard of: `process`. */
export interface ProgramHooks {
  on(event: ProgramEnd | NodeJS.Signals, listener: () => void): unknown;
  off(event: ProgramEnd | NodeJS.Signals, listener: () => void): unknown;
  /** To this program itself. */
  raise(signal: NodeJS.Signals): void;
}

export interface TerminalOptions {
  readonly input: InputStream;
  readonly output: OutputStream;
  readonly capabilities: Capabilities;
  readonly program: ProgramHooks;
  readonly timers: Pick<Timers, "after">;
}

export interface Terminal {
  readonly capabilities: Capabilities;
  readonly size: ScreenSize;
  /** False: what was written last is not taken yet; a frame is left out until `onDrain`. */
  readonly isDrained: boolean;
  /** Nothing, while it is suspended or closed. */
  write(bytes: string): void;
  onInput(listener: (event: InputEvent) => void): void;
  /** Terminals that do not say it never call it. */
  onFocus(listener: (isFocused: boolean) => void): void;
  onResize(listener: (size: ScreenSize) => void): void;
  /** It goes on after it was stopped from outside: others wrote here, and nothing of the screen is known. */
  onContinue(listener: () => void): void;
  onDrain(listener: () => void): void;
  /** Makes what takes away all that is live, for an end at which nobody says goodbye; the main screen is shown then. */
  onAbandon(erase: () => string): void;
  /** There is no terminal any more: it was closed, or its connection broke. One sentence; once. */
  onEnd(listener: (why: string) => void): void;
  /** Null: none. The one from before comes back when the terminal is given back. */
  setTitle(title: string | null): void;
  /** The bell, and a notification where the terminal knows one. */
  notify(text: string): void;
  /** Into the user's clipboard. False: it is too long for a terminal. */
  copy(text: string): boolean;
  /** Gives the terminal back as it was, for another program. */
  suspend(): void;
  /** Takes it again. Nothing of the screen is known then. */
  resume(): void;
  /** Gives it back for good. */
  close(): void;
}

const unknownSize: ScreenSize = { columns: 80, rows: 24 };
const endingSignals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/**
 * Takes the terminal: raw input, pastes marked, keys told apart. It is given back by `close`, when the program exits, also by an exception, and by SIGTERM, SIGHUP and
 * SIGINT, which then do what they do without us. After SIGKILL nothing can: `reset` makes the terminal usable.
 */
export function openTerminal(options: TerminalOptions): Terminal {
  return new ProcessTerminal(options);
}

class ProcessTerminal implements Terminal {
  readonly capabilities: Capabilities;
  readonly #options: TerminalOptions;
  readonly #input: TerminalInput;
  readonly #listeners = {
    input: new Set<(event: InputEvent) => void>(),
    focus: new Set<(isFocused: boolean) => void>(),
    continue: new Set<() => void>(),
    resize: new Set<(size: ScreenSize) => void>(),
    drain: new Set<() => void>(),
    end: new Set<(why: string) => void>(),
  };
  readonly #hooks: readonly (readonly [ProgramEnd | NodeJS.Signals, () => void])[];
  readonly #wasRaw: boolean;
  #erase: () => string = () => "";
  #state: "taken" | "suspended" | "closed" = "suspended";
  #hasEnded = false;
  #isDrained = true;
  #hasOtherKeys = false;
  #isAlternate = false;
  #title: string | null = null;

  constructor(options: TerminalOptions) {
    this.#options = options;
    this.capabilities = options.capabilities;
    this.#wasRaw = options.input.isRaw ?? false;
    this.#input = new TerminalInput(options.capabilities.isRemote, options.timers, {
      event: (event) => tell(this.#listeners.input, event),
      focus: (isFocused) => tell(this.#listeners.focus, isFocused),
      keyboard: (answer) => {
        if (answer === "kitty") this.#hasOtherKeys = true;
        if (this.#hasOtherKeys) return;
        this.#hasOtherKeys = true;
        this.write(modes.otherKeysOn);
      },
    });
    this.#hooks = [
      ["exit", () => this.#abandon()],
      ["uncaughtExceptionMonitor", () => this.#abandon()],
      ["SIGCONT", () => this.#continued()],
      ...endingSignals.map((signal) => [signal, () => this.#signalled(signal)] as const),
    ];
    options.input.setEncoding("utf8");
    options.input.on("end", this.#inputEnded);
    options.input.on("close", this.#inputEnded);
    options.input.on("error", this.#broke);
    options.output.on("error", this.#broke);
    options.output.on("drain", this.#drained);
    options.output.on("resize", this.#resized);
    this.resume();
  }

  get size(): ScreenSize {
    const { columns, rows } = this.#options.output;
    return {
      columns: columns !== undefined && columns > 0 ? columns : unknownSize.columns,
      rows: rows !== undefined && rows > 0 ? rows : unknownSize.rows,
    };
  }

  get isDrained(): boolean {
    return this.#isDrained;
  }

  write(bytes: string): void {
    if (this.#state !== "taken" || this.#hasEnded) return;
    const enters = bytes.lastIndexOf(modes.enterAlternate);
    const leaves = bytes.lastIndexOf(modes.leaveAlternate);
    if (enters !== leaves) this.#isAlternate = enters > leaves;
    this.#isDrained = this.#options.output.write(bytes);
  }

  onFocus(listener: (isFocused: boolean) => void): void {
    this.#listeners.focus.add(listener);
  }

  onInput(listener: (event: InputEvent) => void): void {
    this.#listeners.input.add(listener);
  }

  onContinue(listener: () => void): void {
    this.#listeners.continue.add(listener);
  }

  onResize(listener: (size: ScreenSize) => void): void {
    this.#listeners.resize.add(listener);
  }

  onDrain(listener: () => void): void {
    this.#listeners.drain.add(listener);
  }

  onAbandon(erase: () => string): void {
    this.#erase = erase;
  }

  onEnd(listener: (why: string) => void): void {
    this.#listeners.end.add(listener);
  }

  setTitle(title: string | null): void {
    if (title === this.#title) return;
    this.#title = title;
    this.write(modes.titleSequence(title));
  }

  notify(text: string): void {
    this.write(modes.notifySequence(text, this.capabilities.notifying));
  }

  copy(text: string): boolean {
    const sequence = modes.copySequence(text);
    if (sequence !== null) this.write(sequence);
    return sequence !== null;
  }

  suspend(): void {
    if (this.#state !== "taken") return;
    const { input, program } = this.#options;
    this.#give(() => "");
    this.#state = "suspended";
    input.off("data", this.#received);
    input.pause();
    for (const [event, hook] of this.#hooks) program.off(event, hook);
  }

  resume(): void {
    if (this.#state !== "suspended") return;
    const { input, program } = this.#options;
    for (const [event, hook] of this.#hooks) program.on(event, hook);
    this.#state = "taken";
    input.on("data", this.#received);
    this.#take();
  }

  close(): void {
    if (this.#state === "closed") return;
    this.suspend();
    this.#state = "closed";
    const { input, output } = this.#options;
    input.off("end", this.#inputEnded);
    input.off("close", this.#inputEnded);
    input.off("error", this.#broke);
    output.off("drain", this.#drained);
    output.off("resize", this.#resized);
    // The listener for errors stays: what is written last may fail after this.
  }

  #take(): void {
    this.#hasOtherKeys = false;
    this.#options.input.setRawMode?.(true);
    this.#options.input.resume();
    this.write(modes.takeModes + (this.#title === null ? "" : modes.titleSequence(this.#title)));
  }

  #give(erase: () => string): void {
    this.#input.clear();
    this.write(`${this.#isAlternate ? modes.leaveAlternate : erase()}${modes.giveModes}`);
    try {
      this.#options.input.setRawMode?.(this.#wasRaw);
    } catch {
      // A terminal that is gone has no mode to go back to.
    }
  }

  /** Nobody said goodbye. */
  #abandon(): void {
    if (this.#state !== "taken") return;
    this.#give(this.#erase);
    this.#state = "closed";
  }

  #signalled(signal: NodeJS.Signals): void {
    this.#abandon();
    const { program } = this.#options;
    for (const [event, hook] of this.#hooks) program.off(event, hook);
    program.raise(signal);
  }

  /** Stopped from outside, and gone on: the shell had the terminal, with its own modes. */
  #continued(): void {
    if (this.#state !== "taken") return;
    this.#options.input.setRawMode?.(false);
    this.#take();
    tell(this.#listeners.continue, undefined);
  }

  #end(why: string): void {
    if (this.#hasEnded || this.#state === "closed") return;
    this.#hasEnded = true;
    tell(this.#listeners.end, why);
  }

  readonly #received = (text: string): void => this.#input.feed(text);
  readonly #inputEnded = (): void => this.#end("the input of the terminal ended");
  readonly #broke = (error: Error): void => this.#end(`the terminal cannot be reached: ${error.message}`);
  readonly #resized = (): void => {
    if (this.#state === "taken") tell(this.#listeners.resize, this.size);
  };
  readonly #drained = (): void => {
    this.#isDrained = true;
    tell(this.#listeners.drain, undefined);
  };
}

function tell<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of listeners) listener(value);
}
