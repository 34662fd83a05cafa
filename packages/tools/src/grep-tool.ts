/** Grep: files by what is in them, searched by ripgrep. */
import { type Tool, type ToolOutput, YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { type Arguments, readArguments, schemaOf } from "./arguments.ts";
import { claimFile } from "./claim-file.ts";
import type { SearchToolOptions } from "./glob-tool.ts";
import { compileGlob } from "./search/match-glob.ts";
import { byName, everything, type Filter, nameFilterOf } from "./search/filter.ts";
import { withoutForbidden } from "./search/forbidden.ts";
import { grepModes, grepResult } from "./search/grep-result.ts";
import { notesOf } from "./search/notes.ts";
import { hitCharsMax } from "./search/parse-hits.ts";
import { Ripgrep, type SearchTime, withinTime } from "./search/ripgrep.ts";
import { type LeftOut, searchedBytesMax, searchFiles } from "./search/search-files.ts";
import { bytesOf } from "./scoped-files/descent.ts";

export const grepLimitDefault = 250;
/** Most lines shown on either side of a match. */
export const contextLinesMax = 20;
export const patternBytesMax = 16 * 1024;

const contextField = (description: string) =>
  ({ type: "integer", description, min: 0, max: contextLinesMax, optional: true }) as const;

const fields = {
  pattern: { type: "string", description: "Regular expression of ripgrep (Rust's regex syntax)." },
  path: {
    type: "string",
    description: "Absolute path of a directory, or of one file to search. Default: the workspace.",
    optional: true,
  },
  glob: {
    type: "string",
    description: "Searches only these files, such as `*.ts`, `src/**/*.{ts,tsx}` or `!*.test.ts`.",
    optional: true,
  },
  type: {
    type: "string",
    description: "Searches only files of this type of ripgrep's, such as ts, py or rust.",
    optional: true,
  },
  output_mode: {
    type: "string",
    description:
      "Default files_with_matches: a path a line. content: path:number:line. count: path:matching lines.",
    values: grepModes,
    optional: true,
  },
  "-n": { type: "boolean", description: "Line numbers in content. Default true.", optional: true },
  "-i": { type: "boolean", description: "Letters in either case. Default false.", optional: true },
  "-A": contextField("Lines after each match, in content."),
  "-B": contextField("Lines before each match, in content."),
  "-C": contextField("Lines before and after each match; counts instead of -A and -B."),
  multiline: {
    type: "boolean",
    description: "A match may go over lines, and a dot matches a line end. Default false.",
    optional: true,
  },
  head_limit: {
    type: "integer",
    description: `How many files, or in content matching lines, to show. Default ${grepLimitDefault}.`,
    min: 1,
    max: 1000,
    optional: true,
  },
  offset: {
    type: "integer",
    description: "How many of them to pass over: go on where a result ended. Default 0.",
    min: 0,
    max: 1_000_000_000,
    optional: true,
  },
} as const;

export function grepTool(options: SearchToolOptions): Tool {
  const { files, workspace, timers } = options;
  const ripgrep = new Ripgrep(options);
  return {
    definition: {
      name: "Grep",
      description:
        "Searches the text of files. Hidden files and what .gitignore, .ignore and .rgignore name are left out, unless path names the file itself; links are not followed. " +
        "Results come in the order of the files' paths and their lines. In content, lines beside a match have - for :, and -- stands between groups that do not touch; " +
        `characters of a line beyond ${hitCharsMax} are cut. Binary files are counted, not shown; files of more than ${searchedBytesMax / 1024 / 1024} MiB are not searched.`,
      input_schema: schemaOf(fields),
    },
    readOnly: true,
    claim: (args) => claimFile(files, args["path"] ?? workspace, "shared"),
    execute: async (args, context) => {
      const values = readArguments("Grep", fields, args);
      checkPattern(values.pattern);
      return await withinTime(context, timers, (time) => search(options, ripgrep, values, time));
    },
  };
}

function checkPattern(pattern: string): void {
  if (pattern === "") throw new YoiError("usage", "The pattern is empty: it would match every line.");
  if (pattern.includes("\0") || !pattern.isWellFormed())
    throw new YoiError(
      "usage",
      "The pattern contains a NUL character or half a character: write \\x00 for NUL.",
    );
  if (Buffer.byteLength(pattern) > patternBytesMax)
    throw new YoiError("limit_exceeded", `The pattern is longer than ${patternBytesMax} bytes.`);
}

type Values = Arguments<typeof fields>;

async function search(
  { files, workspace, timers, mayShow }: SearchToolOptions,
  ripgrep: Ripgrep,
  values: Values,
  time: SearchTime,
): Promise<ToolOutput> {
  const glob = values.glob === undefined ? everything : nameFilterOf(values.glob, "glob");
  const type = values.type === undefined ? everything : await typeFilter(values.type, ripgrep, time);
  const pause = async (): Promise<void> => {
    await timers.sleep(0);
    time.check();
  };
  const walked = await files.tree(values.path ?? workspace, {
    honourIgnoreFiles: true,
    wantsFile: (path) => glob.test(path) && type.test(path),
    wantsDirectory: glob.mayHold,
    pause,
  });
  const tree = await withoutForbidden(walked, (path) => mayShow("Grep", path), pause);
  const leftOut: LeftOut = { unreadable: [], large: 0, binary: 0 };
  const shown = grepResult({
    mode: values.output_mode ?? "files_with_matches",
    offset: values.offset ?? 0,
    limit: values.head_limit ?? grepLimitDefault,
    before: values["-C"] ?? values["-B"] ?? 0,
    after: values["-C"] ?? values["-A"] ?? 0,
    withNumbers: values["-n"] ?? true,
  });
  const pattern = {
    pattern: values.pattern,
    ignoreCase: values["-i"] ?? false,
    multiline: values.multiline ?? false,
    text: shown.text,
  };
  await searchFiles(tree.files, { files, ripgrep, pattern, time, leftOut, onHits: shown.add });
  const content = [shown.body(), ...notesOf({ tree, leftOut })].filter((part) => part !== "");
  return {
    summary: `Grep ${quotePath(values.pattern)}: ${shown.describe()}`,
    ...(content.length === 0 ? {} : { content: content.join("\n") }),
  };
}

async function typeFilter(type: string, ripgrep: Ripgrep, time: SearchTime): Promise<Filter> {
  const globs = await ripgrep.typeGlobs(type, time);
  if (globs === null)
    throw new YoiError(
      "usage",
      `ripgrep knows no type of files ${quotePath(type)}: use glob, such as "*.${type.replaceAll(/[^a-zA-Z0-9]/g, "")}".`,
    );
  const tests = globs
    .map((glob) => compileGlob(bytesOf(glob), { characters: true }))
    .filter((test) => typeof test !== "string");
  return byName((name) => tests.some((test) => test(name)));
}
