/** Wildcard patterns of permission rules: `*` is any text (also across `/` and lines), `?` any one character. */

/** Longer patterns are refused when a config is read: the time of a match is text length times pattern length / 32. */
export const patternCharsMax = 256;

/** Text of which a part is not known: null stands for any text, also none. */
export type Piece = string | null;

/** `always`: whatever the unknown parts turn out to be. `maybe`: for some text in their place. */
export type PieceMatch = "always" | "maybe";

/** True when `pattern` covers the whole of `text`. For more than a few texts make a Wildcard. */
export function matchesPattern(pattern: string, text: string): boolean {
  return new Wildcard(pattern).covers(text);
}

/**
 * A pattern made ready for many texts. Never backtracks: all positions that the pattern can be at are stepped together, 32 to a word,
 * so that no text or pattern can make it slow.
 */
export class Wildcard {
  readonly #length: number;
  readonly #words: number;
  readonly #loops: Uint32Array;
  readonly #masks: ReadonlyMap<string, Uint32Array>;
  readonly #anyOnly: Uint32Array;

  constructor(pattern: string) {
    const { symbols, loops } = compile(pattern);
    this.#length = symbols.length;
    this.#words = loops.length;
    this.#loops = loops;
    this.#masks = masksOf(symbols, loops.length);
    this.#anyOnly = this.#masks.get(anyCharacter) ?? new Uint32Array(loops.length);
  }

  /** The whole of `text`. */
  covers(text: string): boolean {
    return this.coversPieces([text], "always");
  }

  /** The same of a text that is known in part. `always` is found where each unknown part meets a `*`. */
  coversPieces(pieces: readonly Piece[], how: PieceMatch): boolean {
    const words = this.#words;
    let at = new Uint32Array(words);
    let next = new Uint32Array(words);
    at[0] = 1;
    for (const piece of pieces) {
      if (piece === null) {
        if (how === "always") stayOnly(at, this.#loops);
        else reachAll(at, this.#length);
        continue;
      }
      for (const character of piece) {
        const mask = this.#masks.get(character) ?? this.#anyOnly;
        let carry = 0;
        let alive = 0;
        for (let w = 0; w < words; w += 1) {
          const here = at[w] ?? 0;
          const moved = ((here << 1) | carry) & (mask[w] ?? 0);
          carry = here >>> 31;
          next[w] = moved | (here & (this.#loops[w] ?? 0));
          alive |= next[w] ?? 0;
        }
        if (alive === 0) return false;
        [at, next] = [next, at];
      }
    }
    return isSet(at, this.#length);
  }
}

/** Any text stays within the `*` that it meets. */
function stayOnly(at: Uint32Array, loops: Uint32Array): void {
  for (let w = 0; w < at.length; w += 1) at[w] = (at[w] ?? 0) & (loops[w] ?? 0);
}

/** Some text leads from a position to each later one. */
function reachAll(at: Uint32Array, last: number): void {
  const first = at.findIndex((word) => word !== 0);
  if (first === -1) return;
  const lowest = (first << 5) + (31 - Math.clz32((at[first] ?? 0) & -(at[first] ?? 0)));
  for (let position = lowest; position <= last; position += 1) set(at, position);
}

/** Stands for `?` among the symbols; a symbol is one character otherwise. */
const anyCharacter = "";

/** The symbols that each consume a character, and the positions (0 = before the first symbol) at which a `*` may stay. */
function compile(pattern: string): { symbols: readonly string[]; loops: Uint32Array } {
  const symbols: string[] = [];
  const stays: number[] = [];
  for (const character of pattern) {
    if (character === "*") stays.push(symbols.length);
    else symbols.push(character === "?" ? anyCharacter : character);
  }
  const loops = new Uint32Array((symbols.length >> 5) + 1);
  for (const position of stays) set(loops, position);
  return { symbols, loops };
}

/** For each character of the pattern the positions that it leads to, those of `?` included. */
function masksOf(symbols: readonly string[], words: number): Map<string, Uint32Array> {
  const masks = new Map<string, Uint32Array>();
  for (const symbol of symbols) if (!masks.has(symbol)) masks.set(symbol, new Uint32Array(words));
  symbols.forEach((symbol, index) => {
    const reached = symbol === anyCharacter ? masks.values() : [masks.get(symbol)];
    for (const mask of reached) if (mask !== undefined) set(mask, index + 1);
  });
  return masks;
}

function set(bits: Uint32Array, position: number): void {
  bits[position >> 5] = (bits[position >> 5] ?? 0) | (1 << (position & 31));
}

function isSet(bits: Uint32Array, position: number): boolean {
  return ((bits[position >> 5] ?? 0) & (1 << (position & 31))) !== 0;
}
