/** What is open in its place: another command can exchange a directory on the way for a link at any moment, and what is open stays what it is. */
import { closeSync, constants, openSync, readlinkSync } from "node:fs";

/**
 * Opens what is at `path`, for reading, to be closed by whoever asked; null where a link on the way leads elsewhere. Throws what the open does. A FIFO
 * put in its place meanwhile must not hold the open.
 */
export function openInPlace(path: string, kind: "file" | "directory"): number | null {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = openSync(path, kind === "directory" ? flags | constants.O_DIRECTORY : flags);
  if (process.platform !== "linux" || placeOf(fd) === path) return fd;
  closeSync(fd);
  return null;
}

/** Null where the kernel does not tell, which is nowhere that anybody asked for. */
function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

export function closePlace(fd: number): void {
  closeSync(fd);
}
