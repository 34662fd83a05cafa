/** Read, Write, Edit and Bash on a scoped file system. */
export type { BashOptions } from "./bash-tool.ts";
export { createTools, type ToolsOptions } from "./create-tools.ts";
export type { Expected, FileIdentity, ReadFile, ScopedFiles, Written } from "./scoped-files.ts";
export { createScopedFiles, fileBytesMax } from "./scoped-files.ts";
