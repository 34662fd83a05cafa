/** The front matter of an item.md: where it stands in the text, and what it is as YAML. */
import {
  type Document,
  isMap,
  type LineCounter,
  LineCounter as Lines,
  parseDocument,
  type YAMLMap,
} from "yaml";
import type { FormatProblem } from "./format-problem.ts";

/** More is no front matter. UTF-16 units. */
export const frontMatterCharsMax = 64 * 1024;

export interface FrontMatter {
  /** Where its YAML begins and ends in the text: behind the first line, up to the line that closes it. */
  readonly start: number;
  readonly end: number;
  /** Where the body begins: behind the closing line. */
  readonly bodyStart: number;
  readonly document: Document;
  readonly map: YAMLMap;
  /** Of an offset in the YAML: its line in the file, from 1. */
  lineAt(offset: number): number;
}

export type FrontMatterOrProblem = FrontMatter | { readonly problem: FormatProblem };

const firstLine = /^\ufeff?---[ \t]*(?:\r?\n|$)/;
const lastLine = /^---[ \t]*(?:\r?\n|$(?![\s\S]))/gm;

export function readFrontMatter(text: string): FrontMatterOrProblem {
  const opening = firstLine.exec(text)?.[0];
  if (opening === undefined) return broken(1, "there is no front matter: the first line is not ---");
  const start = opening.length;
  const head = text.slice(0, start + frontMatterCharsMax + "---\r\n".length);
  lastLine.lastIndex = start;
  const closing = lastLine.exec(head);
  if (closing === null) {
    const why = text.length > head.length ? ` in its first ${frontMatterCharsMax} characters` : "";
    return broken(1, `the front matter is not closed by a line ---${why}`);
  }
  return readYaml(text.slice(start, closing.index), start, closing.index + closing[0].length);
}

function readYaml(yaml: string, start: number, bodyStart: number): FrontMatterOrProblem {
  const lines = new Lines();
  const document = parse(yaml, lines);
  if (document === null) return broken(1, "the front matter is nested too deeply");
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error !== undefined) {
    return broken(lineAt(error.pos[0]), `the front matter is not valid YAML: ${error.message}`);
  }
  if (!isMap(document.contents)) return broken(2, "the front matter is not a list of `key: value`");
  return { start, end: start + yaml.length, bodyStart, document, map: document.contents, lineAt };
}

/** Null: it is nested deeper than the parser, which recurses, can go. */
function parse(yaml: string, lineCounter: LineCounter): Document | null {
  try {
    return parseDocument(yaml, { lineCounter, prettyErrors: false, strict: true, uniqueKeys: true });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function broken(line: number, message: string): { readonly problem: FormatProblem } {
  return { problem: { check: "front_matter", line, message } };
}
