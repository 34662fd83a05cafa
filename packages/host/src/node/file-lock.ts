/**
 * Locks on a machine: an exclusive SQLite transaction on an empty file, which ends with the process.
 *
 * SQLite locks with POSIX record locks, and those are dropped when any descriptor of the file is closed anywhere in the holder's process. So a lock file is
 * opened by SQLite alone; here it is only looked at.
 */
import { accessSync, closeSync, constants, lstatSync, openSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { messageOf, YoiError } from "@yoi/base";
import { errnoOf, fileError } from "../file-error.ts";
import { type Locks, oneAtATime } from "../locks.ts";

/** How long another process may keep a lock; each holds it for a few writes. */
const lockWaitMaxMs = 10_000;
const retryMinMs = 1;
const retryMaxMs = 64;
/** SQLITE_BUSY; the extended codes share its low byte. */
const sqliteBusy = 5;

/** Options are for tests. */
export function nodeLocks({ waitMaxMs = lockWaitMaxMs }: { readonly waitMaxMs?: number } = {}): Locks {
  const queue = oneAtATime();
  return {
    hold: (path, work) =>
      queue.hold(path, async () => {
        const database = await lock(path, waitMaxMs);
        try {
          return await work();
        } finally {
          database.close();
        }
      }),
  };
}

async function lock(path: string, waitMaxMs: number): Promise<DatabaseSync> {
  const deadline = performance.now() + waitMaxMs;
  const holders = new Set<number | null>();
  for (let attempt = 0; ; attempt += 1) {
    const inode = inodeAt(path) ?? makeLockFile(path);
    const database = tryLock(path);
    if (database !== null) {
      // Somebody may have put another file in its place.
      if (inode !== null && inodeAt(path) === inode) return database;
      database.close();
    }
    holders.add(inode === null ? null : holderOf(inode));
    if (performance.now() >= deadline) throw stillHeld(path, [...holders], waitMaxMs);
    const ceilingMs = Math.min(retryMaxMs, 2 ** Math.min(attempt, 10));
    await new Promise((resolve) => setTimeout(resolve, retryMinMs + Math.random() * ceilingMs));
  }
}

/** Null: another process may have made it in between. Closed before anything else of this process can open it. */
function makeLockFile(path: string): number | null {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw fileError("lock", path, errnoOf(error), error);
  }
  return inodeAt(path);
}

/** Null: nothing is there. Throws for what is no lock file. */
function inodeAt(path: string): number | null {
  let found;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError("lock", path, errnoOf(error), error);
  }
  if (found === undefined) return null;
  if (found.isSymbolicLink())
    throw refused(path, "permission_denied", "is a symbolic link, which is not followed");
  if (!found.isFile()) throw refused(path, "io_failed", "is not a file");
  // SQLite would read what is in it, and beside it, as a database.
  if (found.size > 0) throw refused(path, "io_failed", "is not empty");
  return found.ino;
}

/** Null when another process has the lock. The journal stays in memory, so that no other file appears. */
function tryLock(path: string): DatabaseSync | null {
  checkWritable(path);
  checkAlone(path);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw unusable(path, error);
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}

/** Of a file that it may only read, SQLite takes a lock that others can have too. */
function checkWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw fileError("lock", path, errnoOf(error), error);
  }
}

/** What SQLite would take for the rest of a transaction of its own, carry out and delete. */
function checkAlone(path: string): void {
  for (const suffix of ["-journal", "-wal", "-shm"]) {
    const beside = path + suffix;
    if (lstatSync(beside, { throwIfNoEntry: false }) !== undefined)
      throw new YoiError(
        "io_failed",
        `Cannot lock ${path}: ${beside} stands beside it, and nothing may, as it would be taken for a part of the lock; move it away.`,
        { place: { path: beside } },
      );
  }
}

function unusable(path: string, cause: unknown): YoiError {
  return new YoiError(
    "io_failed",
    `Cannot lock ${path} (${messageOf(cause)}): check that it is an empty file on a local disk.`,
    { cause, place: { path } },
  );
}

function refused(path: string, code: "permission_denied" | "io_failed", what: string): YoiError {
  return new YoiError(code, `Cannot lock ${path}: it ${what}; move it away, and it is made anew.`, {
    place: { path },
  });
}

/** @param holders whoever was seen to have it; null: it could not be seen who. */
export function stillHeld(path: string, holders: readonly (number | null)[], waitedMs: number): YoiError {
  const [pid = null, ...others] = holders;
  const why =
    pid !== null && others.length === 0
      ? `the process ${pid} has held it for ${waitedMs / 1000} s, and is stopped or not one of yoi's; let it go on, or end it, and try again`
      : `other processes were busy with it for ${waitedMs / 1000} s; try again when they are done`;
  return new YoiError("io_failed", `Cannot lock ${path}: ${why}.`, { place: { path } });
}

/** As far as the kernel shows: null where it shows none. */
function holderOf(inode: number): number | null {
  let table: string;
  try {
    table = readFileSync("/proc/locks", "utf8");
  } catch {
    // Who it is makes the message better, and nothing depends on it.
    return null;
  }
  const found = table.match(new RegExp(`POSIX\\s+ADVISORY\\s+WRITE\\s+(\\d+)\\s+\\S+:${inode}\\s`));
  const pid = Number(found?.[1] ?? 0);
  return pid > 0 ? pid : null;
}
