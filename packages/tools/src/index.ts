/** Read, Write, Edit and Bash on a scoped file system. */
export type { BashOptions } from "./bash-tool.ts";
export { createTools, type ToolsOptions } from "./create-tools.ts";
export type {
  Expected,
  FileIdentity,
  ListedDirectory,
  ListedEntry,
  ReadFile,
  ScopedFiles,
  Written,
} from "./scoped-files.ts";
export { createScopedFiles, fileBytesMax, listedEntriesMax } from "./scoped-files.ts";
