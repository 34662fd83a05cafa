/** What reading a command has found so far, and the bounds of it. */
import { charsOf, type Part } from "./part.ts";

/** In all: a text within a text counts once more. */
export const parsedCharsMax = 256 * 1024;
/** Programs that run programs, texts within texts, and substitutions within substitutions. */
export const nestingMax = 32;
export const partsMax = 2048;
/** Of all parts with all their spellings: so many are matched against each rule. */
export const matchedCharsMax = 256 * 1024;

export interface CommandReading {
  readonly parts: readonly Part[];
  /** The first thing that only a run can show, as the end of the sentence "the command ..."; null where all is known. */
  readonly unknown: string | null;
  readonly parsedChars: number;
  readonly matchedChars: number;
}

/** Ends the reading; the message is the end of the sentence "the command ...". */
export class TooMuch extends Error {}

export class Reading {
  readonly #parts: Part[] = [];
  #firstUnknown: string | null = null;
  #parsedChars = 0;
  #matchedChars = 0;
  #nesting = 0;

  get result(): CommandReading {
    return {
      parts: this.#parts,
      unknown: this.#firstUnknown,
      parsedChars: this.#parsedChars,
      matchedChars: this.#matchedChars,
    };
  }

  unknown(clause: string): void {
    this.#firstUnknown ??= clause;
  }

  push(part: Part): void {
    if (this.#parts.length >= partsMax) throw new TooMuch(`holds more than ${partsMax} commands`);
    const chars = charsOf(part);
    if (this.#matchedChars + chars > matchedCharsMax)
      throw new TooMuch(`has commands of more than ${matchedCharsMax} characters`);
    this.#matchedChars += chars;
    this.#parts.push(part);
  }

  /** Counts what is about to be parsed; false where that is too much. */
  isWithin(chars: number): boolean {
    const isWithin = this.#parsedChars + chars <= parsedCharsMax;
    if (isWithin) this.#parsedChars += chars;
    else this.unknown(`is longer than ${parsedCharsMax} characters`);
    return isWithin;
  }

  nested(read: () => void): void {
    if (this.#nesting >= nestingMax) return this.unknown(`is nested more than ${nestingMax} deep`);
    this.#nesting += 1;
    read();
    this.#nesting -= 1;
  }
}
