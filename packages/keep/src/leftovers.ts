/** What killed writers left of files that they were replacing. */
import { join } from "node:path/posix";
import type { Clock } from "@yoi/base";
import type { Files } from "@yoi/host";

/** A temp file this old belongs to no writer any more. */
export const leftoverAgeMs = 60 * 60 * 1000;

/** The paths of temp files in a directory; with `of`, only of the file of that name. */
export async function leftoversIn(files: Files, directory: string, of = ""): Promise<readonly string[]> {
  const names = await files.list(directory);
  return names
    .filter((name) => name.startsWith(of === "" ? "." : `.${of}.`) && name.endsWith(".tmp"))
    .map((name) => join(directory, name));
}

export async function removeOldLeftovers(files: Files, clock: Clock, directory: string): Promise<void> {
  const old = clock.now() - leftoverAgeMs;
  for (const path of await leftoversIn(files, directory)) {
    const stat = await files.stat(path);
    if (stat !== null && stat.modifiedMs < old) await files.removeFile(path);
  }
}
