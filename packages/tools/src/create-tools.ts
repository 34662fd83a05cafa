/** The tools of one Pod. */
import type { Tool } from "@yoi/base";
import { type BashOptions, bashTool } from "./bash-tool.ts";
import { editTool } from "./edit-tool.ts";
import { readTool } from "./read-tool.ts";
import type { ScopedFiles } from "./scoped-files.ts";
import { createSeen } from "./seen.ts";
import { writeTool } from "./write-tool.ts";

export interface ToolsOptions extends BashOptions {
  readonly files: ScopedFiles;
}

/** Read, Write, Edit and Bash. What was read is remembered among them, and forgotten with them. */
export function createTools(options: ToolsOptions): readonly Tool[] {
  const seen = createSeen();
  return [
    readTool(options.files, seen),
    writeTool(options.files, seen),
    editTool(options.files, seen),
    bashTool(options),
  ];
}
