/** Temp files of `Files.replace`: how they are named, and how those of killed processes are removed. */
import { basename, dirname, join } from "node:path/posix";
import type { Files } from "./files.ts";

const pattern = /^\..+\.[0-9a-f-]+\.tmp$/;

/** @param unique digits, `a` to `f` and dashes, different for every call. */
export function temporaryPath(path: string, unique: string): string {
  return join(dirname(path), `.${basename(path)}.${unique}.tmp`);
}

/**
 * Removes what a killed `replace` left in a directory; fine when the directory is missing. Only for a directory in which nobody but the
 * caller replaces files, and the caller does not at the moment.
 */
export async function sweepTemporaries(files: Files, directory: string): Promise<void> {
  for (const name of await files.list(directory)) {
    if (pattern.test(name)) await files.removeFile(join(directory, name));
  }
}
