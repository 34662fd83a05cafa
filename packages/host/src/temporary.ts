/** Temp files of `Files.replace`: how they are named, told from others, and removed where a process was killed. */
import { basename, dirname, join } from "node:path/posix";
import type { Files } from "./files.ts";

const pattern = /^\.(.+)\.[0-9a-f-]+\.tmp$/;

/** @param unique digits, `a` to `f` and dashes, different for every call. */
export function temporaryPath(path: string, unique: string): string {
  return join(dirname(path), `.${basename(path)}.${unique}.tmp`);
}

/** What a temp file was to become; null: the path is not that of one. */
export function temporaryOf(path: string): string | null {
  const cut = path.lastIndexOf("/") + 1;
  const name = pattern.exec(path.slice(cut))?.[1];
  return name === undefined ? null : path.slice(0, cut) + name;
}

/**
 * Removes what a killed `replace` left in a directory; fine when the directory is missing. Only for a directory in which nobody but the
 * caller replaces files, and the caller does not at the moment.
 * @param names of the files that the caller replaces there, where others keep files in it too; absent: all are the caller's.
 */
export async function sweepTemporaries(
  files: Files,
  directory: string,
  names?: readonly string[],
): Promise<void> {
  for (const name of await files.list(directory)) {
    const becomes = temporaryOf(name);
    if (becomes === null || names?.includes(becomes) === false) continue;
    const path = join(directory, name);
    try {
      await files.removeFile(path);
    } catch (error) {
      // A folder of that name is somebody's: no `replace` makes one.
      if ((await files.stat(path))?.kind !== "directory") throw error;
    }
  }
}
