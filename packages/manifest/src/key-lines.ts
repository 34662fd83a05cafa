/** On which line of a TOML document each key stands: the parser gives values without places, and an error must name one. */
import { parse } from "smol-toml";

/** Table keys and array indices from the root. */
export type KeyPath = readonly (string | number)[];

export interface KeyLines {
  /** 1-based line of the key, else of the nearest key above it, else 1. */
  lineOf(path: KeyPath): number;
}

/** Deeper keys have the line of the one above them: a path is copied for each key in it, so a file of dots alone would take for ever. */
const depthMax = 16;

/** Reads a document that the parser has accepted. */
export function locateKeys(source: string): KeyLines {
  const lines = new Map<string, number>();
  /** How many elements each array of tables has so far. */
  const tableCounts = new Map<string, number>();
  const scanner = new Scanner(source);
  const note = (path: KeyPath, line: number): void => {
    const id = JSON.stringify(path);
    if (!lines.has(id)) lines.set(id, line);
  };
  const noteAll = (base: KeyPath, keys: readonly string[], line: number): KeyPath => {
    let path = base;
    for (const key of keys.slice(0, depthMax)) {
      path = [...path, key];
      note(path, line);
    }
    return path;
  };
  const keyAndValue = (base: KeyPath): void => {
    const { line } = scanner;
    const path = noteAll(base, scanner.key(), line);
    scanner.take("=");
    value(path);
  };
  const list = (close: "]" | "}", element: (index: number) => void): void => {
    for (let index = 0; ; index += 1) {
      scanner.skipBlank();
      if (scanner.take(close)) return;
      element(index);
      scanner.skipBlank();
      scanner.take(",");
    }
  };
  const value = (path: KeyPath): void => {
    scanner.skipBlank();
    note(path, scanner.line);
    if (scanner.take("[")) list("]", (index) => value([...path, index]));
    else if (scanner.take("{")) list("}", () => keyAndValue(path));
    else scanner.scalar();
  };
  /** A header names the last element of every array of tables on its way. */
  const header = (keys: readonly string[], isElement: boolean, line: number): KeyPath => {
    let path: KeyPath = [];
    keys.slice(0, depthMax).forEach((key, depth) => {
      path = [...path, key];
      note(path, line);
      const id = JSON.stringify(path);
      if (isElement && depth === keys.length - 1) tableCounts.set(id, (tableCounts.get(id) ?? 0) + 1);
      const count = tableCounts.get(id);
      if (count !== undefined) path = [...path, count - 1];
      note(path, line);
    });
    return path;
  };

  let table: KeyPath = [];
  for (scanner.skipBlank(); !scanner.atEnd; scanner.skipBlank()) {
    const { line } = scanner;
    if (scanner.take("[[")) {
      table = header(scanner.key(), true, line);
      scanner.take("]]");
    } else if (scanner.take("[")) {
      table = header(scanner.key(), false, line);
      scanner.take("]");
    } else keyAndValue(table);
  }
  return {
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lines.get(JSON.stringify(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

const blank = /(?:[ \t\r\n]|#[^\n]*)*/y;
const inLine = /[ \t]*/y;
const bareKey = /[A-Za-z0-9_-]+/y;
const bareValue = /[^,\]}#\n]+/y;

/** A cursor over TOML text. Each method moves it forward; on text that is not TOML it throws instead of standing still. */
class Scanner {
  line = 1;
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  /** White space, line ends and comments. */
  skipBlank(): void {
    this.#match(blank);
  }

  take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#move(this.#at + text.length);
    return true;
  }

  /** A dotted key, and the blanks around it. */
  key(): readonly string[] {
    const keys: string[] = [];
    do {
      this.#match(inLine);
      const start = this.#at;
      if (this.#match(bareKey)) keys.push(this.#source.slice(start, this.#at));
      else {
        this.#string();
        keys.push(String(parse(`key = ${this.#source.slice(start, this.#at)}`)["key"]));
      }
      this.#match(inLine);
    } while (this.take("."));
    return keys;
  }

  /** A value that is neither array nor inline table. */
  scalar(): void {
    const c = this.#source[this.#at];
    if (c === '"' || c === "'") this.#string();
    else if (!this.#match(bareValue)) throw this.#lost();
  }

  #string(): void {
    const quote = this.#source[this.#at];
    if (quote !== '"' && quote !== "'") throw this.#lost();
    const isLong = this.#source.startsWith(quote.repeat(3), this.#at);
    const close = isLong ? quote.repeat(3) : quote;
    let end = this.#at + close.length;
    while (!this.#source.startsWith(close, end)) {
      if (end >= this.#source.length) throw this.#lost();
      end += quote === '"' && this.#source[end] === "\\" ? 2 : 1;
    }
    end += close.length;
    // A long string may end in up to two quotes of its own.
    if (isLong) for (let more = 0; more < 2 && this.#source[end] === quote; more += 1) end += 1;
    this.#move(end);
  }

  #match(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#source) || pattern.lastIndex === this.#at) return false;
    this.#move(pattern.lastIndex);
    return true;
  }

  #move(to: number): void {
    for (let at = this.#at; at < to; at += 1) if (this.#source[at] === "\n") this.line += 1;
    this.#at = to;
  }

  #lost(): Error {
    return new Error(`no TOML at line ${this.line}`);
  }
}
