/** Searching files that were found: in batches, in their order, by path where the sandbox shows them and by descriptor elsewhere. */
import { YoiError } from "@yoi/base";
import { firstDescriptor } from "@yoi/sandbox";
import { closeAll, itself } from "../scoped-files/descriptor.ts";
import type { ScopedFiles } from "../scoped-files.ts";
import { type FileHits, givenBytesMax, parseHits, type PrintedOptions } from "./parse-hits.ts";
import type { Printed, Ripgrep, SearchTime } from "./ripgrep.ts";

/** Most bytes of a file that is searched. */
export const searchedBytesMax = 64 * 1024 * 1024;
/** Of one run: Linux takes 2 MiB of arguments, the environment included. */
const pathsBytesMax = 512 * 1024;
/** Of one run: bubblewrap takes 9,000 arguments, its own for each mount included. */
export const pathsMax = 4_096;
/** Of one run: other parts of yoi need descriptors too. */
export const descriptorsMax = 1024;
/** Each may hold a whole file. */
const threads = 4;

export interface Pattern {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Lines of text, with as many around each match; null: only how many match. */
  readonly text: { readonly before: number; readonly after: number } | null;
}

/** What became of files that were not searched to their end; paths are one character a byte. */
export interface LeftOut {
  readonly unreadable: string[];
  large: number;
  binary: number;
}

export interface SearchOptions {
  readonly files: ScopedFiles;
  readonly ripgrep: Ripgrep;
  readonly pattern: Pattern;
  readonly time: SearchTime;
  readonly leftOut: LeftOut;
  /** The hits of one file after the other, in the order of `paths`; those without a match and binary ones are left out. */
  readonly onHits: (path: string, hits: FileHits) => void;
}

/** @param paths absolute, sorted, one character a byte. */
export async function searchFiles(paths: readonly string[], options: SearchOptions): Promise<void> {
  const searchable = await withoutLarge(paths, options);
  const batches = batchesOf(searchable, options.ripgrep.opensPaths);
  // Also where there is nothing to search a pattern that is none is refused.
  if (batches.length === 0) await runOver([], [], options);
  for (const batch of batches) await searchBatch(batch, options);
}

/** A FIFO that took a file's place in the meantime is not opened by anybody: every path that is passed on was a regular file just now. */
async function withoutLarge(
  paths: readonly string[],
  { files, leftOut, time }: SearchOptions,
): Promise<string[]> {
  const kept: string[] = [];
  const descent = files.descend();
  try {
    for (const path of paths) {
      time.check();
      const cut = path.lastIndexOf("/") + 1;
      const bytes = descent.goTo(path.slice(0, cut)) ?? descent.fileBytes(path.slice(cut));
      if (bytes === "unreadable") leftOut.unreadable.push(path);
      if (typeof bytes === "string") continue;
      if (bytes > searchedBytesMax) leftOut.large += 1;
      else kept.push(path);
    }
    return kept;
  } finally {
    descent.close();
  }
}

function batchesOf(paths: readonly string[], opensPaths: boolean): string[][] {
  const batches: string[][] = [];
  const countMax = opensPaths ? pathsMax : descriptorsMax;
  let bytes = Number.POSITIVE_INFINITY;
  for (const path of paths) {
    const last = batches.at(-1);
    bytes += path.length + 1;
    const isFull = last?.length === countMax || (opensPaths && bytes > pathsBytesMax);
    if (last === undefined || isFull) {
      batches.push([path]);
      bytes = path.length + 1;
    } else last.push(path);
  }
  return batches;
}

/** A batch that prints too much is searched in halves. */
async function searchBatch(batch: readonly string[], options: SearchOptions): Promise<void> {
  const hits = await hitsOf(batch, options);
  if (hits === null) {
    const [only] = batch;
    if (batch.length === 1 && only !== undefined)
      throw new YoiError(
        "limit_exceeded",
        "The pattern matches more lines of one file than a search can take in: make it narrower, or use the Bash tool.",
      );
    const middle = Math.ceil(batch.length / 2);
    await searchBatch(batch.slice(0, middle), options);
    await searchBatch(batch.slice(middle), options);
    return;
  }
  for (const path of batch) {
    const found = hits.get(path);
    if (found === undefined) continue;
    if (found.isBinary) options.leftOut.binary += 1;
    else if (found.matches > 0) options.onHits(path, found);
  }
}

/** Null when it printed too much. What cannot be opened by its path is tried by descriptor. */
async function hitsOf(
  batch: readonly string[],
  options: SearchOptions,
): Promise<Map<string, FileHits> | null> {
  const named = options.ripgrep.opensPaths ? batch.filter(isPlain) : [];
  const others = new Set(batch);
  for (const path of named) others.delete(path);
  let hits = new Map<string, FileHits>();
  if (named.length > 0) {
    const printed = await runOver(named.map(textOfPlain), [], options);
    if (printed.isTooMuch) return null;
    hits = parseHits(printed.output, printedOptions(options.pattern));
    for (const path of complainedAbout(printed.complaints, new Set(named))) others.add(path);
  }
  const rest = [...others];
  for (let at = 0; at < rest.length; at += descriptorsMax) {
    const found = await hitsByDescriptor(rest.slice(at, at + descriptorsMax), options);
    if (found === null) return null;
    for (const [path, file] of found) hits.set(path, file);
  }
  return hits;
}

async function hitsByDescriptor(
  paths: readonly string[],
  options: SearchOptions,
): Promise<Map<string, FileHits> | null> {
  const opened: { path: string; fd: number }[] = [];
  const descent = options.files.descend();
  try {
    for (const path of paths) {
      const cut = path.lastIndexOf("/") + 1;
      const why = descent.goTo(path.slice(0, cut));
      const fd = why === null ? descent.openFile(path.slice(cut)) : { why };
      if (typeof fd === "number") opened.push({ path, fd });
      else if (fd.why === "unreadable") options.leftOut.unreadable.push(path);
    }
    if (opened.length === 0) return new Map();
    const pathOf = new Map(opened.map(({ path }, index) => [itself(firstDescriptor + index), path]));
    const descriptors = opened.map(({ fd }) => fd);
    const printed = await runOver([...pathOf.keys()], descriptors, options);
    if (printed.isTooMuch) return null;
    for (const name of complainedAbout(printed.complaints, new Set(pathOf.keys())))
      options.leftOut.unreadable.push(pathOf.get(name) ?? name);
    const hits = parseHits(printed.output, printedOptions(options.pattern));
    return new Map([...hits].map(([name, file]) => [pathOf.get(name) ?? name, file]));
  } finally {
    descent.close();
    closeAll(opened.map(({ fd }) => fd));
  }
}

async function runOver(
  names: readonly string[],
  descriptors: readonly number[],
  options: SearchOptions,
): Promise<Printed> {
  const { pattern, time } = options;
  // Told of nothing it would search its directory: then it is to read its empty standard input.
  const told = names.length === 0 ? ["-"] : names;
  const printed = await options.ripgrep.run([...flagsOf(pattern), "--", ...told], descriptors, time);
  const { end, complaints } = printed;
  if (end.kind === "exited" && end.code === 2 && !complaints.startsWith("rg: /")) throw refused(complaints);
  return printed;
}

function flagsOf({ pattern, ignoreCase, multiline, text }: Pattern): string[] {
  return [
    "--color=never",
    "--no-ignore",
    "--no-mmap",
    "--crlf",
    "--regex-size-limit=10M",
    `--threads=${threads}`,
    "--heading",
    "--with-filename",
    "--null",
    "--line-number",
    ignoreCase ? "--ignore-case" : "--case-sensitive",
    ...(multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...(text === null
      ? ["--max-columns=1"]
      : [
          `--max-columns=${givenBytesMax}`,
          "--max-columns-preview",
          `--before-context=${text.before}`,
          `--after-context=${text.after}`,
          ...(multiline ? [] : ["--column"]),
        ]),
    `--regexp=${pattern}`,
  ];
}

/** Over lines ripgrep gives the column of the first line for each of them. */
function printedOptions({ text, multiline }: Pattern): PrintedOptions {
  return { withText: text !== null, withColumn: text !== null && !multiline };
}

/** ripgrep's own reason as one sentence. */
function refused(complaints: string): YoiError {
  const lines = Buffer.from(complaints, "latin1").toString("utf8").split("\n").filter(Boolean);
  const reason = lines.find((line) => line.startsWith("error: "))?.slice("error: ".length) ?? lines[0] ?? "";
  const said = reason.replace(/^rg: /, "").replace(/[.:]$/, "");
  const hint = said.includes('"\\n"')
    ? "; set multiline to match over lines"
    : said.includes('"\\r"')
      ? "; the CR at the end of a line is no part of the line"
      : "";
  return new YoiError("usage", `The pattern is not a regular expression that ripgrep takes: ${said}${hint}.`);
}

function isPlain(path: string): boolean {
  return !path.includes("\n") && Buffer.from(textOfPlain(path), "utf8").toString("latin1") === path;
}

function textOfPlain(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** The names of which ripgrep says that it could not read them. */
function* complainedAbout(complaints: string, names: ReadonlySet<string>): Generator<string> {
  for (const line of complaints.split("\n")) {
    if (!line.startsWith("rg: ")) continue;
    const said = line.slice("rg: ".length);
    for (let at = said.indexOf(": "); at >= 0; at = said.indexOf(": ", at + 1)) {
      const name = said.slice(0, at);
      if (!names.has(name)) continue;
      yield name;
      break;
    }
  }
}
