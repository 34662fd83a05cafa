/** The tools of one Pod. */
import type { Clock, Tool } from "@yoi/base";
import { bashTool } from "./bash-tool.ts";
import { createCommandTouches } from "./copies/command-touches.ts";
import type { FileCopies } from "./copies/touched.ts";
import { editTool } from "./edit-tool.ts";
import { globTool } from "./glob-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import type { Seen } from "./seen.ts";
import { openShell, type Shell, type ShellOptions } from "./shell.ts";
import { writeTool } from "./write-tool.ts";

export interface ToolsOptions extends ShellOptions {
  readonly files: ScopedFiles;
  /** What was shown, remembered among the file tools. */
  readonly seen: Seen;
  /** Whether the model in use is shown images. */
  readonly seesImages: () => boolean;
  /** Whether the rules of the user let a search show this file, by its real path. */
  readonly mayShow: (tool: string, path: string) => boolean;
  /** Where what files hold is kept before they are changed; absent: it is not, and results do not say what was touched. */
  readonly kept?: { readonly copies: FileCopies; readonly clock: Clock };
}

/** What Bash runs commands with, and what else runs any in the same way. */
export function createShell(options: ToolsOptions): Shell {
  const { files, scope, timers, kept } = options;
  return openShell(
    options,
    kept === undefined ? null : createCommandTouches({ files, scope, timers, ...kept }),
  );
}

/** Read, Write, Edit, Glob, Grep and Bash. */
export function createTools(options: ToolsOptions, shell: Shell = createShell(options)): readonly Tool[] {
  const { seen, files, kept } = options;
  const copies = kept?.copies ?? null;
  return [
    readTool(files, seen, options.seesImages),
    writeTool(files, seen, copies),
    editTool(files, seen, copies),
    globTool(options),
    grepTool(options),
    bashTool(shell),
  ];
}
