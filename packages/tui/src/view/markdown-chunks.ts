/** Markdown in pieces that are read each on its own, so that what an answer began with stays as it is while the rest arrives. */

export interface Chunk {
  /** Where its text starts and ends in the whole, without the line ends around it. */
  readonly start: number;
  readonly end: number;
  /** A blank line stands before it. */
  readonly isApart: boolean;
  /** No further text belongs to it, whatever it is. */
  readonly isClosed: boolean;
}

const fence = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const heading = /^#{1,6}(?:[ \t]|$)/;
const bullet = /^ ?[-*+](?:[ \t]|$)/;
const numbered = /^ ?(\d{1,9})[.)](?:[ \t]|$)/;
const indented = /^(?: {2}|\t| \t)/;

/**
 * A piece is a paragraph, a heading, an item of a list with all that belongs to it, a fence, a quote, a table. Unlike in Markdown, a reference to a link that is
 * defined somewhere else stays as it is, and an item of a list is apart from the next where they are, not where any two of the list are.
 */
export function chunksOf(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let open: { start: number; end: number; isApart: boolean; isItem: boolean; isQuote: boolean } | null = null;
  let within: { readonly sign: string; readonly length: number } | null = null;
  let isOver = false;
  let newlines = 0;
  const end = (isClosed: boolean) => {
    if (open !== null) {
      const { start, end: to, isApart } = open;
      chunks.push({ start, end: to, isApart, isClosed });
    }
    open = null;
    isOver = false;
  };
  for (let at = 0; at <= text.length;) {
    const lineEnd = text.indexOf("\n", at);
    const isComplete = lineEnd >= 0;
    const line = text.slice(at, isComplete ? lineEnd : undefined).trimEnd();
    if (within !== null && open !== null) {
      if (line !== "") open.end = at + line.length;
      if (isClosing(line, within)) {
        within = null;
        // A fence of an item belongs to the item.
        isOver = isComplete && !open.isItem;
      }
    } else if (line === "") {
      // What an item goes on with may stand behind blank lines.
      if (isComplete && open !== null && !open.isItem) isOver = true;
    } else {
      const isBlankBefore = newlines > 1;
      if (open === null || isOver || startsAnew(line, open, isBlankBefore)) {
        // What begins here may turn out to be something else while its line arrives.
        end(isOver || isComplete);
        open = {
          start: at,
          end: at,
          isApart: isBlankBefore,
          isItem: bullet.test(line) || numbered.test(line),
          isQuote: line.startsWith(">"),
        };
      }
      open.end = at + line.length;
      const opened = fence.exec(line.replace(open.isItem ? /^ +/ : "", ""));
      const sign = opened?.[2];
      if (sign !== undefined && !(sign.startsWith("`") && opened?.[3]?.includes("`") === true)) {
        within = { sign: sign[0] ?? "", length: sign.length };
      } else isOver = isComplete && heading.test(line);
    }
    newlines = line === "" ? newlines + 1 : 1;
    if (!isComplete) break;
    at = lineEnd + 1;
  }
  end(isOver);
  return chunks;
}

function isClosing(line: string, within: { readonly sign: string; readonly length: number }): boolean {
  const bare = line.trimStart();
  return bare.length >= within.length && bare === within.sign.repeat(bare.length);
}

function startsAnew(
  line: string,
  open: { readonly isItem: boolean; readonly isQuote: boolean },
  isBlankBefore: boolean,
): boolean {
  if (open.isItem && indented.test(line)) return false;
  if (isBlankBefore || heading.test(line) || bullet.test(line)) return true;
  const number = numbered.exec(line)?.[1];
  if (number !== undefined) return open.isItem || number === "1";
  // Within a paragraph only what starts in the first columns.
  return fence.test(line) || (line.startsWith(">") && !open.isQuote);
}
