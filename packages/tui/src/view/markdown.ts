/** Markdown as rows. */
import { Markdown, type MarkdownTheme, setCapabilities } from "@earendil-works/pi-tui";
import { hasHighlighter, highlightLines } from "./highlight.ts";
import type { Line } from "./line.ts";
import { chunksOf } from "./markdown-chunks.ts";
import { safeText } from "./safe.ts";
import { closeStyles } from "./styles.ts";
import type { Theme, ViewOptions } from "./theme.ts";
import { cut, wrap } from "./width.ts";

// A link shows where it leads: the library would hide that behind the text where it takes a terminal to know links.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** What is larger is shown as plain text: the time that reading it takes grows faster than it does. */
export const chunkCharsMax = 16 * 1024;
/** Of a block that still grows, but for code. */
export const openCharsMax = 4 * 1024;
/** Of one run of text: its characters times its signs of emphasis and of links, each of which looks for its other end. */
const emphasisWorkMax = 1_000_000;
/** Quotes and lists within each other on one line. */
const depthMax = 32;
const deep = new RegExp(`^[ \\t]*(?:(?:>|(?:[-*+]|\\d{1,9}[.)])[ \\t])[ \\t]*){${depthMax + 1}}`, "m");
const runStart = /\n(?=[ \t]*(?:\n|[-*+][ \t]|\d{1,9}[.)][ \t]|\||>))/;
/** The library leaves a definition of a link out, and of an image it leaves out where it is. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;
const backticksMax = 200;
const codeOrImage = /(`+)[^`][\s\S]*?\1(?!`)|!\[/g;
const cachedCharsMax = 4 * 1024 * 1024;

/**
 * `text` as rows, its blocks apart where they are apart in it. Blank lines at its start show as one, those at its end as none. Whatever is in it stays text: no
 * control character, no HTML and no link of it is more than what is read. What would take long to read as Markdown is plain.
 * @param isArriving its last block is drawn anew as it grows: code in it has no colours, and what is long is plain, until it is whole.
 */
export function markdownLines(text: string, options: ViewOptions, isArriving = false): readonly Line[] {
  const lines: Line[] = [];
  for (const { start, end, isApart, isClosed } of chunksOf(text)) {
    if (isApart) lines.push("");
    const isOpen = isArriving && !isClosed;
    for (const line of chunkLines(text.slice(start, end), options, isOpen)) lines.push(line);
  }
  return lines;
}

/**
 * How many characters from the start are blocks that no further text changes: `markdownLines` of them and of the rest, one after the other, are those of the whole,
 * whatever is added to it.
 */
export function closedChars(text: string): number {
  const chunks = chunksOf(text);
  return chunks[chunks.findLastIndex((chunk) => chunk.isClosed)]?.end ?? 0;
}

/** By theme, then by width, whether code has colours, and text, the oldest first; bounded together for each theme. */
const cached = new WeakMap<Theme, { chars: number; readonly lines: Map<string, readonly Line[]> }>();

function chunkLines(chunk: string, options: ViewOptions, isOpen: boolean): readonly Line[] {
  const cache = cached.get(options.theme) ?? { chars: 0, lines: new Map<string, readonly Line[]>() };
  cached.set(options.theme, cache);
  const key = `${options.columns} ${hasHighlighter()} ${isOpen} ${chunk}`;
  const known = cache.lines.get(key);
  if (known !== undefined) return known;
  const lines = rendered(safeText(chunk), options, isOpen);
  cache.lines.set(key, lines);
  cache.chars += key.length;
  for (const old of cache.lines.keys()) {
    if (cache.chars <= cachedCharsMax) break;
    cache.lines.delete(old);
    cache.chars -= old.length;
  }
  return lines;
}

function rendered(chunk: string, options: ViewOptions, isOpen: boolean): readonly Line[] {
  const columns = Math.max(1, options.columns);
  const isTooLong = isOpen && chunk.length > openCharsMax && !isFence(chunk);
  if (isTooLong || !isReadable(chunk)) return wrap(chunk, columns);
  try {
    const source = isFence(chunk) ? chunk : withImages(chunk);
    const view = new Markdown(
      source,
      0,
      0,
      isOpen ? openTheme(options.theme) : markdownTheme(options.theme),
      undefined,
      {
        preserveOrderedListMarkers: true,
        renderLatex: false,
      },
    );
    return view.render(columns).map((line) => cut(closeStyles(line.trimEnd()), columns));
  } catch (error) {
    // What is nested too deeply for its parser.
    if (error instanceof RangeError) return wrap(chunk, columns);
    throw error;
  }
}

function isReadable(chunk: string): boolean {
  if (chunk.length > chunkCharsMax || definition.test(chunk) || deep.test(chunk)) return false;
  return chunk.split(runStart).every((run) => run.length * count(run, /[*_~[]/g) <= emphasisWorkMax);
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}

function isFence(chunk: string): boolean {
  return /^ {0,3}(?:`{3}|~{3})/.test(chunk);
}

/** An image as what it is called and where it is. */
function withImages(chunk: string): string {
  if (!chunk.includes("![") || count(chunk, /`/g) > backticksMax) return chunk;
  return chunk.replace(codeOrImage, (found) => (found === "![" ? "\\![" : found));
}

function openTheme(theme: Theme): MarkdownTheme {
  const { highlightCode: _, ...rest } = markdownTheme(theme);
  return rest;
}

const themes = new WeakMap<Theme, MarkdownTheme>();

function markdownTheme(theme: Theme): MarkdownTheme {
  const known = themes.get(theme) ?? {
    heading: theme.heading,
    link: theme.link,
    linkUrl: theme.dim,
    // Without colours its signs say that it is code.
    code: (text: string) => (theme.code(text) === text ? `\`${text}\`` : theme.code(text)),
    codeBlock: theme.code,
    codeBlockBorder: theme.dim,
    quote: theme.quote,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.strong,
    italic: theme.italic,
    strikethrough: (text: string) => `~~${text}~~`,
    underline: (text: string) => text,
    highlightCode: (code: string, language?: string) =>
      highlightLines(code, language?.split(/\s/)[0] ?? null, theme),
  };
  themes.set(theme, known);
  return known;
}
