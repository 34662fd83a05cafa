/** How much a YAML text is, told before it is parsed: what a parser does with hundreds of open lists, or with thousands of keys, takes minutes. */

export interface YamlBounds {
  /** Lists and maps in each other. */
  readonly nestingMax: number;
  /** Tokens of the lexer: a short line of a key and a value has seven. */
  readonly tokensMax: number;
}

/** Of a front matter. 1,000 tokens are about 140 keys; the slowest of them take milliseconds. */
export const frontMatterBounds: YamlBounds = Object.freeze({ nestingMax: 32, tokensMax: 1_000 });

/** What the lexer says where brackets that are open still cannot go on. */
const flowEnd = "\u0018";

/**
 * What opens is counted as it is lexed: brackets; outside of them the indicators of one line, and its indentation, by which block lists and maps are
 * nested. Null: it is within; else what it is, as the end of a sentence.
 *
 * @param tokens as the lexer of `yaml` gives them.
 */
export function whyYamlBeyond(
  tokens: Iterable<string>,
  { nestingMax, tokensMax }: YamlBounds,
): string | null {
  let count = 0;
  let brackets = 0;
  let onLine = 0;
  let isLineStart = true;
  for (const token of tokens) {
    count += 1;
    if (count > tokensMax) return `longer than ${tokensMax} words and signs`;
    if (token === "[" || token === "{") brackets += 1;
    // One that closes nothing makes no room.
    else if (token === "]" || token === "}") brackets = Math.max(0, brackets - 1);
    else if (token === flowEnd) brackets = 0;
    else if (brackets === 0) {
      if (token === "-" || token === "?" || token === ":") onLine += 1;
      else if (isLineStart && /^ +$/.test(token)) onLine = Math.floor(token.length / 2);
    }
    isLineStart = token.endsWith("\n") || token === flowEnd;
    if (isLineStart && brackets === 0) onLine = 0;
    if (brackets + onLine > nestingMax) return `nested deeper than ${nestingMax} lists and maps`;
  }
  return null;
}
