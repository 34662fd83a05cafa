/** The tools of one Pod. */
import type { Tool } from "@yoi/base";
import { type BashOptions, bashTool } from "./bash-tool.ts";
import { editTool } from "./edit-tool.ts";
import { globTool } from "./glob-tool.ts";
import { grepTool } from "./grep-tool.ts";
import { readTool } from "./read-tool.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import type { Seen } from "./seen.ts";
import { writeTool } from "./write-tool.ts";

export interface ToolsOptions extends BashOptions {
  readonly files: ScopedFiles;
  /** What was shown, remembered among the file tools. */
  readonly seen: Seen;
  /** Whether the model in use is shown images. */
  readonly seesImages: () => boolean;
  /** Whether the rules of the user let a search show this file, by its real path. */
  readonly mayShow: (tool: string, path: string) => boolean;
}

/** Read, Write, Edit, Glob, Grep and Bash. */
export function createTools(options: ToolsOptions): readonly Tool[] {
  const { seen } = options;
  return [
    readTool(options.files, seen, options.seesImages),
    writeTool(options.files, seen),
    editTool(options.files, seen),
    globTool(options),
    grepTool(options),
    bashTool(options),
  ];
}
