/**
 * The file of the registry: one transaction at a time, in a file that may be deleted, damaged or replaced by anybody at any instant. A whole one that is
 * an older copy looks like any other here: who lives and is not in it is for the reader of its rows.
 *
 * Each transaction opens the file for itself and holds it whole (`locking_mode = EXCLUSIVE`): no wal-index is shared with a process that still has a deleted
 * file open, which could damage the new one. What was committed to a file that is not the path's any more is done again in the one that is.
 */
import { DatabaseSync } from "node:sqlite";
import { type Clock, messageOf, type Random, type Timers, YoiError } from "@yoi/base";
import type { Files } from "@yoi/host";
import { NotOurs } from "./rows.ts";

export interface RegistryFileOptions {
  /** `<data>/registry.sqlite`; `:memory:` is one for this value alone. */
  readonly path: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Renames a file, also over another one. */
  readonly move: (from: string, to: string) => Promise<void>;
}

/** How long others may keep the file busy; each holds it for a transaction, a few milliseconds. */
export const registryBusyMs = 15_000;
const retryMinMs = 1;
const retryMaxMs = 16;
/** Damaged files that are kept; the last of them is replaced by the next. */
export const damagedFilesMax = 8;
/** Of one verb. More files than this that are damaged or vanish one after the other are no accident. */
const filesTriedMax = 32;

const memory = ":memory:";

export interface RegistryFile {
  /** Commits what `work` did when it returns; undoes it when it throws. */
  write<T>(work: (database: DatabaseSync) => T): Promise<T>;
  /** The same in a file that is there already; null: there is none, and none is made. */
  inExisting<T>(work: (database: DatabaseSync) => T): Promise<T | null>;
  close(): void;
}

export function openRegistryFile(options: RegistryFileOptions): RegistryFile {
  return options.path === memory ? inMemory() : onDisk(options);
}

function inMemory(): RegistryFile {
  let database: DatabaseSync | null = null;
  const write = async <T>(work: (database: DatabaseSync) => T): Promise<T> =>
    inTransaction((database ??= new DatabaseSync(memory)), work);
  return { write, inExisting: write, close: () => database?.close() };
}

function onDisk(options: RegistryFileOptions): RegistryFile {
  const { path, files } = options;

  async function transaction<T>(
    make: boolean,
    work: (database: DatabaseSync) => T,
  ): Promise<{ readonly value: T } | null> {
    for (let tried = 0; tried < filesTriedMax; tried += 1) {
      const inode = await inodeOf(files, path, make);
      if (inode === null) return null;
      const done = await attempt(options, work);
      if (done.kind === "damaged") await putAside(options, inode);
      // The one that was opened is the path's: while it was open, no other could have its inode.
      else if ((await files.stat(path))?.inode === inode) {
        if (done.kind === "done") return { value: done.value };
        throw done.error;
      }
    }
    throw new YoiError(
      "registry_damaged",
      `The registry ${path} was damaged or replaced ${filesTriedMax} times in a row: end whatever else writes to it, and try again.`,
      { place: { path } },
    );
  }

  return {
    async write(work) {
      const done = await transaction(true, work);
      if (done === null) throw new Error("a file that was made is not there");
      return done.value;
    },
    inExisting: async (work) => (await transaction(false, work))?.value ?? null,
    close: () => {},
  };
}

/** Which file the path names; where there is none, null, or one is made, which is ours alone to read. */
async function inodeOf(files: Files, path: string, make: boolean): Promise<number | null> {
  for (;;) {
    const found = await files.stat(path);
    if (found !== null) return found.inode;
    if (!make) return null;
    await files.makeDirectory(path.slice(0, path.lastIndexOf("/")));
    try {
      await (await files.createAppend(path)).close();
    } catch (error) {
      // Another process may have made it in between.
      if ((await files.stat(path)) === null) throw error;
    }
  }
}

type Attempt<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "damaged" };

async function attempt<T>(
  { path, clock, timers, random }: RegistryFileOptions,
  work: (database: DatabaseSync) => T,
): Promise<Attempt<T>> {
  const deadline = clock.monotonic() + registryBusyMs;
  for (;;) {
    try {
      return { kind: "done", value: inOwnDatabase(path, work) };
    } catch (error) {
      if (error instanceof NotOurs) return { kind: "damaged" };
      const code = sqliteCode(error);
      if (code === null) return { kind: "failed", error };
      if (isDamage(code)) return { kind: "damaged" };
      if (!isBusy(code)) return { kind: "failed", error: unusable(path, code, error) };
      if (clock.monotonic() >= deadline) return { kind: "failed", error: stillBusy(path, error) };
    }
    await timers.sleep(retryMinMs + random.next() * retryMaxMs);
  }
}

function inOwnDatabase<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return inTransaction(database, work);
  } finally {
    database.close();
  }
}

function inTransaction<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work(database);
    database.exec("COMMIT");
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Only the file that was seen to be damaged: another process may have put a good one there. */
async function putAside({ files, path, move }: RegistryFileOptions, inode: number): Promise<void> {
  if ((await files.stat(path))?.inode !== inode) return;
  let to = "";
  for (let number = 1; number <= damagedFilesMax; number += 1) {
    to = `${path}.damaged-${number}`;
    if ((await files.stat(to)) === null) break;
  }
  try {
    await move(path, to);
  } catch (error) {
    // Gone already: another process put it aside.
    if ((await files.stat(path))?.inode === inode) throw error;
  }
}

function sqliteCode(error: unknown): number | null {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) : null;
}

/** SQLITE_BUSY, SQLITE_LOCKED; the extended codes share their low byte. */
function isBusy(code: number): boolean {
  return (code & 0xff) === 5 || (code & 0xff) === 6;
}

/** SQLITE_ERROR (not the tables that are asked for), SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR_SHORT_READ (cut while it was open). */
function isDamage(code: number): boolean {
  return code === 1 || (code & 0xff) === 11 || code === 26 || code === 522;
}

function unusable(path: string, code: number, cause: unknown): YoiError {
  const full = code === 13;
  return new YoiError(
    full ? "disk_full" : "io_failed",
    `The registry ${path} cannot be used (${messageOf(cause)}): ${full ? "make room on its disk" : "check its permissions, and that it is a file on a local disk"}.`,
    { cause, place: { path } },
  );
}

function stillBusy(path: string, cause: unknown): YoiError {
  return new YoiError(
    "io_failed",
    `The registry ${path} has been locked by another process for ${registryBusyMs / 1000} s, which is stopped or not one of yoi's: let it go on, or end it, and try again.`,
    { cause, place: { path } },
  );
}
