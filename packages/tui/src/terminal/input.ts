/** TerminalInput: what arrives from a terminal, as keys, pastes and answers. */
import { StdinBuffer } from "@earendil-works/pi-tui";
import type { Timers } from "@yoi/base";
import type { InputEvent } from "../keys/key-event.ts";
import { decodeKeys } from "./decode.ts";

const pasteStart = "\u001b[200~";
const pasteEnd = "\u001b[201~";
const escape = "\u001b";
const markerChars = pasteStart.length;
/** A paste of which nothing more came for so long has lost its end; keys would go into it for ever. */
const pasteStallMs = 2000;
/** So much text at once was not typed: a paste into a terminal that does not say so. */
export const burstCharsMin = 256;
/** Esc alone, or the beginning of Alt and a key. Terminals with the kitty protocol need no wait. */
const escapeWaitMs = { local: 50, remote: 150 };
const sequenceWaitMs = { local: 150, remote: 500 };
const keyboardAnswer = /^\u001b\[\?(\d+)u$/;
const focusIn = "\u001b[I";
const focusOut = "\u001b[O";
const deviceAnswer = /^\u001b\[\?[\d;]*c$/;

export type KeyboardAnswer = "kitty" | "other";

export interface InputListeners {
  readonly event: (event: InputEvent) => void;
  /** Whether the person looks at this terminal now. */
  readonly focus: (isFocused: boolean) => void;
  /** The terminal answered what keyboard it has. */
  readonly keyboard: (answer: KeyboardAnswer) => void;
}

export class TerminalInput {
  readonly #buffer: StdinBuffer;
  readonly #listeners: InputListeners;
  #isPasting = false;
  #tail = "";
  readonly #timers: Pick<Timers, "after">;
  #endStall: (() => void) | null = null;
  /** The first half of a character that came in two. */
  #half = "";
  /** An escape that more came with: the library hands it over alone, also where it stands for Alt. */
  #escape = "";
  #isFeeding = false;

  constructor(isRemote: boolean, timers: Pick<Timers, "after">, listeners: InputListeners) {
    this.#timers = timers;
    this.#listeners = listeners;
    const where = isRemote ? "remote" : "local";
    this.#buffer = new StdinBuffer({ escapeTimeout: escapeWaitMs[where], timeout: sequenceWaitMs[where] });
    this.#buffer.on("data", (sequence: string) => this.#take(sequence));
    this.#buffer.on("paste", (text: string) => this.#paste(text));
  }

  feed(text: string): void {
    this.#endStall?.();
    this.#endStall = null;
    const seen = this.#tail + text;
    const start = seen.lastIndexOf(pasteStart);
    const end = seen.lastIndexOf(pasteEnd);
    const isBurst = !this.#isPasting && text.length >= burstCharsMin && !text.includes("\u001b");
    if (start !== end) this.#isPasting = start > end;
    this.#tail = seen.slice(1 - markerChars);
    if (isBurst && this.#buffer.getBuffer() === "") {
      this.#paste(text);
      return;
    }
    this.#isFeeding = true;
    this.#buffer.process(text);
    this.#isFeeding = false;
    this.#endEscape();
    if (this.#isPasting) this.#endStall = this.#timers.after(pasteStallMs, () => this.feed(pasteEnd));
  }

  /** What is unfinished is forgotten. */
  clear(): void {
    this.#endStall?.();
    this.#endStall = null;
    this.#isPasting = false;
    this.#tail = "";
    this.#half = "";
    this.#escape = "";
    this.#buffer.clear();
  }

  #paste(text: string): void {
    this.#listeners.event({ type: "paste", text: text.replace(/\r\n?/g, "\n") });
  }

  /** Nothing came with it that it changes. */
  #endEscape(): void {
    const alone = this.#escape;
    this.#escape = "";
    for (const event of decodeKeys(alone)) this.#listeners.event(event);
  }

  #take(sequence: string): void {
    const withAlt = this.#escape === "" ? [] : decodeKeys(escape + sequence);
    if (withAlt.length > 0 && sequence !== escape) {
      this.#escape = "";
      for (const event of withAlt) this.#listeners.event(event);
      return;
    }
    this.#endEscape();
    if (sequence === escape && this.#isFeeding) {
      this.#escape = sequence;
      return;
    }
    const keyboard = keyboardAnswer.exec(sequence);
    if (keyboard !== null) {
      this.#listeners.keyboard(keyboard[1] === "0" ? "other" : "kitty");
      return;
    }
    if (sequence === focusIn || sequence === focusOut) {
      this.#listeners.focus(sequence === focusIn);
      return;
    }
    if (deviceAnswer.test(sequence)) {
      this.#listeners.keyboard("other");
      return;
    }
    // The library hands characters beyond 16 bits over in halves.
    if (/^[\ud800-\udbff]$/.test(sequence)) {
      this.#half = sequence;
      return;
    }
    const whole = this.#half + sequence;
    this.#half = "";
    for (const event of decodeKeys(whole)) this.#listeners.event(event);
  }
}
