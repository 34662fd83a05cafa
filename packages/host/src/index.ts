/** The machine behind ports. */
export type { AppendFile, Files, FileStat } from "./files.ts";
export type { Host, Processes, ProcessIdentity } from "./host.ts";
