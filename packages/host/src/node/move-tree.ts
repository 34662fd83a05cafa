/** Moving a file, a link or a directory out of the way, to another disk too. */
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoOf, fileError } from "../file-error.ts";

/**
 * Moves what stands at `from` itself (a link is not followed) to `to`, a name that must be free; its directories are made. Not durable
 * on return. Throws as `Files` does; what could not be moved whole is still at `from`.
 */
export async function moveTree(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EXDEV") throw fileError("move", from, errnoOf(error), error);
    await copyAndRemove(from, to);
  }
}

async function copyAndRemove(from: string, to: string): Promise<void> {
  try {
    await cp(from, to, { recursive: true, verbatimSymlinks: true, errorOnExist: true, force: false });
    await rm(from, { recursive: true });
  } catch (error) {
    throw fileError("move", from, errnoOf(error), error);
  }
}
