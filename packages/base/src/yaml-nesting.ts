/** How deep lists and maps of a YAML text stand in each other, told before it is parsed: what a parser does with hundreds of open ones takes minutes. */

/** Lists and maps in each other, of what is read. */
export const yamlNestingMax = 32;

/** What the lexer says where brackets that are open still cannot go on. */
const flowEnd = "\u0018";

/**
 * What opens is counted as it is lexed: brackets; outside of them the indicators of one line, and its indentation, by which block lists and maps are
 * nested.
 *
 * @param tokens as the lexer of `yaml` gives them.
 */
export function isYamlNestedWithin(tokens: Iterable<string>, depthMax: number): boolean {
  let brackets = 0;
  let onLine = 0;
  let isLineStart = true;
  for (const token of tokens) {
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
    if (brackets + onLine > depthMax) return false;
  }
  return true;
}
