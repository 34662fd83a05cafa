/** Where the tickets of a root lie, and what the store needs of the machine to get at them. */
import { dirname, join } from "node:path/posix";
import { YoiError, type Clock } from "@yoi/base";
import type { Files, Locks } from "@yoi/host";
import { isTicketId } from "./ticket-id.ts";

/** What a path itself is: a link is not followed. Null: nothing is there. */
export type KindAt = (path: string) => Promise<"file" | "directory" | "link" | "other" | null>;

export interface TicketPlace {
  readonly files: Files;
  readonly kindAt: KindAt;
  /** Absolute: `<workspace>/.yoi/tickets`. It need not be there. */
  readonly root: string;
}

/** For who writes. */
export interface TicketDesk extends TicketPlace {
  readonly locks: Locks;
  readonly clock: Clock;
}

export const itemName = "item.md";
export const threadName = "thread.md";
export const resolutionName = "resolution.md";
/** The files of each ticket. */
export const ticketFiles: readonly string[] = [itemName, threadName, resolutionName];
export const artifactsName = "artifacts";
export const lockName = ".lock";

export function folderOf({ root }: TicketPlace, id: string): string {
  return join(root, id);
}

/**
 * `work`, while no other process writes. Nothing but `Locks` opens the lock file. What is written at the desk that it gets is written only while the file is the one that was
 * locked: git clean takes it away, and the next writer then locks another. Throws permission_denied where nothing can be written.
 */
export async function underLock<T>(desk: TicketDesk, work: (held: TicketDesk) => Promise<T>): Promise<T> {
  const { root, kindAt, locks, files } = desk;
  const lock = join(root, lockName);
  // A sandbox puts a device over what is denied in it.
  if ((await kindAt(lock)) === "other")
    throw new YoiError(
      "permission_denied",
      `The tickets in ${root} are read-only here: their ${lockName} is covered, as in the sandbox of a Pod; change them outside of it.`,
      { place: { path: lock } },
    );
  return locks.hold(lock, async () => {
    const inode = (await files.stat(lock))?.inode;
    const replace: Files["replace"] = async (...args) => {
      if ((await files.stat(lock))?.inode !== inode)
        throw new YoiError(
          "io_failed",
          `${lock} was removed or replaced while it was held, so another process may write too: nothing was written here; try again.`,
          { place: { path: lock } },
        );
      return files.replace(...args);
    };
    return work({ ...desk, files: { ...files, replace } });
  });
}

/**
 * False: there is no root, and so no ticket. Throws permission_denied where a link leads to it, or something else is there: what a verb reads and writes is
 * below the workspace and nowhere else.
 */
export async function isRootThere(place: TicketPlace): Promise<boolean> {
  return (await isDirectory(dirname(place.root), place)) && (await isDirectory(place.root, place));
}

/** False: nothing can be a ticket of that id. Throws as `isRootThere` does. */
export async function isTicketThere(place: TicketPlace, id: string): Promise<boolean> {
  return isTicketId(id) && (await isRootThere(place)) && (await isDirectory(folderOf(place, id), place));
}

/** The same of any directory. */
export async function isDirectory(path: string, { kindAt }: Pick<TicketPlace, "kindAt">): Promise<boolean> {
  const kind = await kindAt(path);
  if (kind === "directory") return true;
  if (kind === null) return false;
  throw notWhatItMustBe(path, kind, "directory");
}

export function notWhatItMustBe(path: string, kind: string, expected: "file" | "directory"): YoiError {
  const what =
    kind === "link"
      ? "is a symbolic link, and none is followed to tickets: put what it points to in its place"
      : `is not a ${expected}, as a part of a ticket has to be: move it away`;
  return new YoiError("permission_denied", `${path} ${what}.`, { place: { path } });
}
