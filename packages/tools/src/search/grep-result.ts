/** What Grep shows of the hits: paths, counts, or lines with those beside them, page by page. */
import { Page } from "./paging.ts";
import type { FileHits, HitLine } from "./parse-hits.ts";
import { showName } from "./show-name.ts";

export const grepModes = ["files_with_matches", "content", "count"] as const;

export interface GrepShows {
  /** One of `grepModes`. */
  readonly mode: string;
  /** Files, or in content matching lines: how many are passed over, and how many are shown. */
  readonly offset: number;
  readonly limit: number;
  /** Lines beside each match, in content. */
  readonly before: number;
  readonly after: number;
  /** In content. */
  readonly withNumbers: boolean;
}

/** What a call shows, put together file by file. */
export interface GrepResult {
  readonly text: { readonly before: number; readonly after: number } | null;
  add(path: string, hits: FileHits): void;
  body(): string;
  describe(): string;
}

export function grepResult(shows: GrepShows): GrepResult {
  const { mode, offset, limit } = shows;
  if (mode === "content") return contentResult(shows);
  const page = new Page<string>(offset, limit, (line) => Buffer.byteLength(line) + 1);
  const isCount = mode === "count";
  let matches = 0;
  return {
    text: null,
    add: (path, hits) => {
      matches += hits.matches;
      page.add(() => (isCount ? `${showName(path)}:${hits.matches}` : showName(path)));
    },
    body: () => page.entries.join("\n"),
    describe: () =>
      page.describe("file", "files", isCount && page.total > 0 ? ` with ${lines(matches)}` : ""),
  };
}

function lines(count: number): string {
  return count === 1 ? "1 matching line" : `${count} matching lines`;
}

/** A matching line with the lines beside it that no other match is nearer to on the way down. */
interface Group {
  readonly path: string;
  readonly shown: readonly { readonly number: number; readonly text: string }[];
}

function contentResult({ before, after, withNumbers, offset, limit }: GrepShows): GrepResult {
  const page = new Page<Group>(offset, limit, ({ shown }) =>
    shown.reduce((bytes, { text }) => bytes + Buffer.byteLength(text) + 1, 0),
  );
  let files = 0;
  return {
    text: { before, after },
    add: (path, hits) => {
      files += 1;
      for (const group of groupsOf(hits.lines, after))
        page.add(() => ({ path, shown: group.map((line) => shownLine(showName(path), line, withNumbers)) }));
    },
    body: () => joinGroups(page.entries, before + after > 0),
    describe: () =>
      page.describe(
        "matching line",
        "matching lines",
        page.total > 0 ? ` in ${files === 1 ? "1 file" : `${files} files`}` : "",
      ),
  };
}

function shownLine(name: string, line: HitLine, withNumbers: boolean): { number: number; text: string } {
  const mark = line.isMatch ? ":" : "-";
  const number = withNumbers ? `${line.number}${mark}` : "";
  return { number: line.number, text: `${name}${mark}${number}${line.text()}` };
}

/** Every line beside matches goes to one of them, so that pages put together are the whole: to the match before it, as far as `after` reaches, else to the next. */
function groupsOf(all: readonly HitLine[], after: number): HitLine[][] {
  const groups: HitLine[][] = [];
  let waiting: HitLine[] = [];
  let last: { readonly number: number; readonly lines: HitLine[] } | null = null;
  for (const line of all) {
    if (line.isMatch) {
      last = { number: line.number, lines: [...waiting, line] };
      waiting = [];
      groups.push(last.lines);
    } else if (last !== null && line.number <= last.number + after) last.lines.push(line);
    else waiting.push(line);
  }
  return groups;
}

function joinGroups(groups: readonly Group[], withContext: boolean): string {
  const texts: string[] = [];
  let end: { readonly path: string; readonly number: number } | null = null;
  for (const { path, shown } of groups) {
    for (const { number, text } of shown) {
      const touches = end !== null && end.path === path && end.number + 1 === number;
      if (withContext && end !== null && !touches) texts.push("--");
      texts.push(text);
      end = { path, number };
    }
  }
  return texts.join("\n");
}
