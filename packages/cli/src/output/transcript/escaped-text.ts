/** Text that arrives in pieces, made safe for a terminal as if it had come as a whole. */
import { escapeControls } from "@yoi/base";

/** As much as decides whether a joiner in what follows shapes it. */
const beforeChars = 4;
/** What only its next character explains: half of a pair, a joiner. */
const undecided = /[\u200c\u200d]?[\ud800-\udbff]$|[\u200c\u200d]$/;

export class EscapedText {
  #before = "";
  #held = "";

  /** What can be shown of it by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = undecided.exec(text)?.[0] ?? "";
    return this.#escape(text.slice(0, text.length - this.#held.length));
  }

  /** What was held back: nothing follows. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return this.#escape(held);
  }

  #escape(text: string): string {
    const before = escapeControls(this.#before, "newline-tab");
    const shown = escapeControls(this.#before + text, "newline-tab").slice(before.length);
    this.#before = (this.#before + text).slice(-beforeChars);
    return shown;
  }
}
