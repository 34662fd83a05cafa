/** A terminal in memory: what is written goes into an emulator, and keys come from the test. */
import { capabilitiesOf } from "../../../src/terminal/capabilities.ts";
import type { InputEvent } from "../../../src/keys/key-event.ts";
import type { Terminal } from "../../../src/terminal/terminal.ts";
import { type Emulator, emulator } from "../../support/emulator.ts";

export interface FakeTerminal extends Terminal {
  readonly seen: Emulator;
  readonly copied: string[];
  readonly notified: string[];
  readonly isClosed: boolean;
  input(event: InputEvent): void;
  /** Each character as its key. */
  type(text: string): void;
  key(name: string): void;
  resize(columns: number, rows: number): void;
  focus(isFocused: boolean): void;
  /** After it was stopped from outside. */
  goOn(): void;
  end(): void;
}

export function fakeTerminal(columns = 80, rows = 24): FakeTerminal {
  const seen = emulator(columns, rows);
  let size = { columns, rows };
  let isClosed = false;
  let onInput: (event: InputEvent) => void = () => {};
  let onResize: (size: Terminal["size"]) => void = () => {};
  let onFocus: (isFocused: boolean) => void = () => {};
  let onContinue: () => void = () => {};
  let onEnd: (why: string) => void = () => {};
  const copied: string[] = [];
  const notified: string[] = [];
  const input = (event: InputEvent): void => onInput(event);
  return {
    capabilities: capabilitiesOf({ TERM: "xterm-256color", NO_COLOR: "1", TERM_PROGRAM: "vscode" }),
    get size() {
      return size;
    },
    isDrained: true,
    write: (bytes) => {
      if (isClosed) throw new Error("written behind its end");
      seen.write(bytes);
    },
    onInput: (listener) => void (onInput = listener),
    onResize: (listener) => void (onResize = listener),
    onFocus: (listener) => void (onFocus = listener),
    onContinue: (listener) => void (onContinue = listener),
    onDrain: () => {},
    onAbandon: () => {},
    onEnd: (listener) => void (onEnd = listener),
    setTitle: (title) => seen.write(`\u001b]2;${title ?? ""}\u0007`),
    notify: (text) => void notified.push(text),
    copy: (text) => copied.push(text) > 0,
    suspend: () => {},
    resume: () => {},
    close: () => void (isClosed = true),
    seen,
    copied,
    notified,
    get isClosed() {
      return isClosed;
    },
    goOn: () => onContinue(),
    input,
    type: (text) => {
      for (const character of text)
        input({ type: "key", key: character === " " ? "space" : character, text: character });
    },
    key: (name) => input({ type: "key", key: name, text: name.length === 1 ? name : null }),
    resize: (toColumns, toRows) => {
      size = { columns: toColumns, rows: toRows };
      seen.resize(toColumns, toRows);
      onResize(size);
    },
    focus: (isFocused) => onFocus(isFocused),
    end: () => onEnd("the terminal was closed"),
  };
}
