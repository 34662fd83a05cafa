/** The front matter of an item.md: where it stands in the text, and what it is as YAML. */
import { type Document, isMap, Lexer, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { frontMatterBounds, whyYamlBeyond, YoiError } from "@yoi/base";
import type { FormatProblem } from "./format-problem.ts";

/** More is no front matter. UTF-16 units. */
export const frontMatterCharsMax = 32 * 1024;

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
  if (closing === null || closing.index - start > frontMatterCharsMax) {
    const why =
      text.length > start + frontMatterCharsMax ? ` in its first ${frontMatterCharsMax} characters` : "";
    return broken(1, `the front matter is not closed by a line ---${why}`);
  }
  return readYaml(text.slice(start, closing.index), start, closing.index + closing[0].length);
}

function readYaml(yaml: string, start: number, bodyStart: number): FrontMatterOrProblem {
  const beyond = whyBeyond(yaml);
  if (beyond !== null) return broken(1, `the front matter is ${beyond}`);
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    lineCounter: lines,
    prettyErrors: false,
    // What it would say of odd keys and tags, it would say on standard error.
    logLevel: "error",
    resolveKnownTags: false,
  });
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [error] = document.errors;
  if (error !== undefined) {
    return broken(lineAt(error.pos[0]), `the front matter is not valid YAML: ${error.message}`);
  }
  if (!isMap(document.contents)) return broken(2, "the front matter is not a list of `key: value`");
  return { start, end: start + yaml.length, bodyStart, document, map: document.contents, lineAt };
}

/** Of YAML that is to be written. Throws limit_exceeded where it could not be read again. */
export function checkFrontMatter(yaml: string): void {
  const beyond = whyBeyond(yaml);
  if (beyond === null) return;
  throw new YoiError(
    "limit_exceeded",
    `The ticket's title and fields would be ${beyond}: nothing was written; put what is long into the body.`,
  );
}

/** The end of a sentence. */
function whyBeyond(yaml: string): string | null {
  return yaml.length > frontMatterCharsMax
    ? `longer than ${frontMatterCharsMax} characters`
    : whyYamlBeyond(new Lexer().lex(yaml), frontMatterBounds);
}

function broken(line: number, message: string): { readonly problem: FormatProblem } {
  return { problem: { check: "front_matter", line, message } };
}
