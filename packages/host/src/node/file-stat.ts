/** Node's Stats as the port's FileStat. */
import type { Stats } from "node:fs";
import type { FileStat } from "../files.ts";

export function toFileStat(stats: Stats): FileStat {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
    bytes: stats.size,
    modifiedMs: stats.mtimeMs,
    inode: stats.ino,
  };
}
