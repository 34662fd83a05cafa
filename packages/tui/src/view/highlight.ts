/** Code in colours: the token classes of highlight.js as styles of the theme. */
import type { Line } from "./line.ts";
import { safeText } from "./safe.ts";
import type { StyleName, Theme } from "./theme.ts";

/** Code that is longer, or has such a line, is shown plain: highlighting takes time that grows with it. */
export const highlightCharsMax = 32 * 1024;
export const highlightLineCharsMax = 240;
/** No word of code is as long; some languages read one again from each of its characters. */
const longWord = /\w{200}/;

/** By the first class of a token, without its prefix; what is not named here is plain. */
const styles: ReadonlyMap<string, StyleName> = new Map<string, StyleName>([
  ["keyword", "keyword"],
  ["literal", "keyword"],
  ["selector-tag", "keyword"],
  ["operator", "keyword"],
  ["string", "string"],
  ["regexp", "string"],
  ["char", "string"],
  ["link", "string"],
  ["comment", "comment"],
  ["quote", "comment"],
  ["meta", "comment"],
  ["doctag", "comment"],
  ["number", "number"],
  ["symbol", "number"],
  ["title", "name"],
  ["section", "name"],
  ["name", "name"],
  ["attr", "name"],
  ["attribute", "name"],
  ["property", "name"],
  ["selector-class", "name"],
  ["selector-id", "name"],
  ["type", "type"],
  ["built_in", "type"],
  ["variable", "type"],
  ["template-variable", "type"],
  ["addition", "added"],
  ["deletion", "removed"],
]);
const tokens = /<span class="(?:hljs-)?([^" ]*)[^"]*">|(<\/span>)|&(amp|lt|gt|quot|#x27);|([^<&]+)/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** What is used of the library. */
interface Highlighter {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string };
}

let highlighter: Highlighter | null = null;

/** Its languages take a while to load, so nobody waits for them to see the first rows: until this has resolved, code is shown plain. */
export async function loadHighlighter(): Promise<void> {
  // SAFETY: a name that the compiler does not follow: with the library's types it would take those of a browser into the whole program.
  const library: { default: Highlighter } = await import("highlight.js/lib/common" as string);
  highlighter = library.default;
}

/** False: code is shown plain so far. */
export function hasHighlighter(): boolean {
  return highlighter !== null;
}

/** Languages that take long to read what is not of them, as one that is like them. */
const aliases: ReadonlyMap<string, string> = new Map([["scss", "less"]]);

/** Each line of `code`, plain where its language is null or not known, or it is too long. */
export function highlightLines(code: string, named: string | null, theme: Theme): Line[] {
  const language = named === null ? null : (aliases.get(named.toLowerCase()) ?? named);
  const text = safeText(code);
  const lines = text.split("\n");
  const known = language === null ? undefined : highlighter?.getLanguage(language);
  const isTooLong =
    text.length > highlightCharsMax ||
    longWord.test(text) ||
    lines.some((line) => line.length > highlightLineCharsMax);
  if (highlighter === null || language === null || known === undefined || isTooLong) return lines;
  return styled(highlighter.highlight(text, { language, ignoreIllegals: true }).value, theme);
}

/** @param html of the library: spans, and entities for what HTML would read. */
function styled(html: string, theme: Theme): Line[] {
  const lines: Line[] = [];
  const open: (StyleName | null)[] = [];
  let line = "";
  // Of one style, put together from what entities stand between.
  let run = "";
  const endRun = () => {
    const style = open.findLast((name) => name !== null);
    line += style === undefined || run === "" ? run : theme[style](run);
    run = "";
  };
  for (const [, opened, closed, entity, text] of html.matchAll(tokens)) {
    if (opened !== undefined || closed !== undefined) endRun();
    if (opened !== undefined) open.push(styles.get(opened) ?? null);
    if (closed !== undefined) open.pop();
    const shown = entity === undefined ? (text ?? "") : (entities[entity] ?? "");
    for (const [at, part] of shown.split("\n").entries()) {
      if (at > 0) {
        endRun();
        lines.push(line);
        line = "";
      }
      run += part;
    }
  }
  endRun();
  return [...lines, line];
}
