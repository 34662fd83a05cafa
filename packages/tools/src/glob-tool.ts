/** Glob: files by what they are called. */
import type { Tool, ToolOutput } from "@yoi/base";
import { quotePath } from "@yoi/scope";
import { readArguments, schemaOf } from "./arguments.ts";
import { claimFile } from "./claim-file.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import { filterOf } from "./search/filter.ts";
import { withoutForbidden } from "./search/forbidden.ts";
import { Page } from "./search/paging.ts";
import { notesOf } from "./search/notes.ts";
import { type RipgrepOptions, type SearchTime, withinTime } from "./search/ripgrep.ts";
import { showName } from "./search/show-name.ts";

export const globLimitDefault = 250;

const fields = {
  pattern: {
    type: "string",
    description:
      "Glob for the path below `path`: * and ? stay within a name, ** crosses directories, [a-z] and {a,b} as usual. `*.ts` is one directory, `**/*.ts` all of them.",
  },
  path: {
    type: "string",
    description: "Absolute path of the directory to look in, or of one file. Default: the workspace.",
    optional: true,
  },
  head_limit: {
    type: "integer",
    description: `How many files to show. Default ${globLimitDefault}.`,
    min: 1,
    max: 1000,
    optional: true,
  },
  offset: {
    type: "integer",
    description: "How many files to pass over: go on where a result ended. Default 0.",
    min: 0,
    max: 1_000_000_000,
    optional: true,
  },
} as const;

export interface SearchToolOptions extends RipgrepOptions {
  readonly files: ScopedFiles;
  readonly workspace: string;
  /** Whether the rules of the user let a search show this file, by its real path. */
  readonly mayShow: (tool: string, path: string) => boolean;
}

export function globTool(options: SearchToolOptions): Tool {
  const { files, workspace, timers } = options;
  return {
    definition: {
      name: "Glob",
      description:
        "Finds regular files by their paths. Hidden and ignored files are found too; what is in a .git is not, unless path is in it; links are not followed. " +
        "Files come in the order of their paths, not of their times, so that the next page goes on exactly where the last one ended while files are being changed.",
      input_schema: schemaOf(fields),
    },
    readOnly: true,
    claim: (args) => claimFile(files, args["path"] ?? workspace, "shared"),
    execute: async (args, context) => {
      const values = readArguments("Glob", fields, args);
      const { pattern, path = workspace, head_limit = globLimitDefault, offset = 0 } = values;
      return await withinTime(context, timers, (time) =>
        find(options, { pattern, path, limit: head_limit, offset }, time),
      );
    },
  };
}

async function find(
  { files, timers, mayShow }: SearchToolOptions,
  asked: { readonly pattern: string; readonly path: string; readonly limit: number; readonly offset: number },
  time: SearchTime,
): Promise<ToolOutput> {
  const filter = filterOf(asked.pattern, "pattern");
  const pause = async (): Promise<void> => {
    await timers.sleep(0);
    time.check();
  };
  const walked = await files.tree(asked.path, {
    honourIgnoreFiles: false,
    wantsFile: filter.test,
    wantsDirectory: filter.mayHold,
    pause,
  });
  const tree = await withoutForbidden(walked, (path) => mayShow("Glob", path), pause);
  const page = new Page<string>(asked.offset, asked.limit, (line) => Buffer.byteLength(line) + 1);
  for (const path of tree.files) {
    const isStart = path === tree.start;
    if (isStart && !filter.test(path.slice(path.lastIndexOf("/") + 1))) continue;
    page.add(() => showName(path));
  }
  const lines = [...page.entries, ...notesOf({ tree, leftOut: null })];
  return {
    summary: `Glob ${quotePath(asked.pattern)}: ${page.describe("file", "files")}`,
    ...(lines.length === 0 ? {} : { content: lines.join("\n") }),
  };
}
