/** A file that is there whole or not at all, and that nobody replaces: for what several processes may want to make at once. */
import { randomUUID } from "node:crypto";
import { closeSync, linkSync, openSync, rmSync, writeFileSync } from "node:fs";
import { errnoOf, fileError } from "../file-error.ts";
import { temporaryPath } from "../temporary.ts";

/**
 * Makes the file with mode 0600 and all of `data` in it; false: there is one already, which stays as it is. Not durable on return. Throws as `Files`
 * does.
 */
export function createPrivateFile(path: string, data: Uint8Array): boolean {
  const temporary = temporaryPath(path, randomUUID());
  try {
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(descriptor, data);
    } finally {
      closeSync(descriptor);
    }
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw fileError("create", path, errnoOf(error), error);
  } finally {
    rmSync(temporary, { force: true });
  }
}
