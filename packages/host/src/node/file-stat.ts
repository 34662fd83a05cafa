/** Node's Stats as the port's FileStat. */
import { constants, type Stats } from "node:fs";
import type { FileStat } from "../files.ts";

export function toFileStat(stats: Stats): FileStat {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
    bytes: stats.size,
    executable: stats.isFile() && (stats.mode & constants.S_IXUSR) !== 0,
    modifiedMs: stats.mtimeMs,
    inode: stats.ino,
  };
}
