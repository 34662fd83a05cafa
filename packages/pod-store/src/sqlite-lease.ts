/**
 * The lease on a machine: an exclusive SQLite transaction on `<data>/locks/<name>.sqlite` for the life of the holder.
 *
 * SQLite locks with POSIX record locks, and those are dropped when any descriptor of the file is closed anywhere in the owner's process.
 * So nothing but SQLite ever opens a lock file: this module only stats it, and `owner` reads the hint beside it.
 */
import { DatabaseSync } from "node:sqlite";
import { messageOf, YoiError, type Clock, type PodName, type Random, type Timers } from "@yoi/base";
import type { Files, Processes } from "@yoi/host";
import { heldByOther, heldBySelf, heldByUnknown } from "./held-error.ts";
import type { HeldLease, Lease, LeaseOwner } from "./lease.ts";
import { decodeOwner, encodeOwner } from "./owner-hint.ts";

/** How long to keep trying a lock behind which nobody is known to be alive. */
export const acquireBoundMs = 2_000;
const retryMinMs = 2;
const retryMaxMs = 40;
/** SQLITE_BUSY; the extended codes share its low byte. */
const sqliteBusy = 5;

export interface SqliteLeaseOptions {
  /** The data directory; locks are in `<dataDir>/locks`, on a local file system. */
  readonly dataDir: string;
  /** Of this process's environment, for the hint. */
  readonly runtimeDir?: string;
  readonly files: Files;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly processes: Processes;
}

/** Of the name of a file beside a lock that says who holds it. */
export const hintSuffix = ".owner";

/** What this process holds or is taking, by lock path. It also keeps each open database reachable: a collected one would drop its lock. */
const taken = new Map<string, { owner: LeaseOwner; database: DatabaseSync | null }>();

/** The file whose lock is the lease: to look at, never to open. */
export function leaseLockPath(dataDir: string, name: PodName): string {
  return `${dataDir}/locks/${name}.sqlite`;
}

export function createSqliteLease(options: SqliteLeaseOptions): Lease {
  const { files, clock, timers, random, processes } = options;
  const directory = `${options.dataDir}/locks`;
  const runtime = options.runtimeDir ?? null;
  const lockPath = (name: PodName): string => leaseLockPath(options.dataDir, name);
  const hintPath = (name: PodName): string => `${directory}/${name}${hintSuffix}`;

  async function owner(name: PodName): Promise<{ owner: LeaseOwner; alive: boolean } | null> {
    const bytes = await files.read(hintPath(name));
    const found = bytes === null ? null : decodeOwner(bytes);
    return found === null ? null : { owner: found, alive: processes.isAlive(found) };
  }

  /** Creates the lock file when it is missing, and says which file it is. Only a missing one is opened: it has no lock to lose. */
  async function ensureLockFile(path: string): Promise<number> {
    const found = await files.stat(path);
    if (found !== null) return found.inode;
    try {
      await (await files.createAppend(path)).close();
    } catch (error) {
      // Another starter may have made it in between: the stat below decides.
      if (!(error instanceof YoiError) || error.code !== "io_failed") throw error;
    }
    const created = await files.stat(path);
    if (created === null)
      throw new YoiError("io_failed", `The lock file ${path} could not be created: check its directory.`);
    return created.inode;
  }

  async function writeHint(path: string, hint: LeaseOwner): Promise<void> {
    const file =
      (await files.stat(path)) === null ? await files.createAppend(path) : await files.openAppend(path);
    try {
      await file.truncate(0);
      await file.append(encodeOwner(hint));
    } finally {
      await file.close();
    }
  }

  async function lock(name: PodName): Promise<DatabaseSync> {
    const path = lockPath(name);
    const deadline = clock.monotonic() + acquireBoundMs;
    for (let attempt = 0; ; attempt += 1) {
      const inode = await ensureLockFile(path);
      const database = tryLock(path);
      if (database !== null) {
        if ((await files.stat(path))?.inode === inode) return database;
        database.close();
      } else {
        const holder = await owner(name);
        if (holder?.alive === true) throw heldByOther(name, holder.owner, runtime);
      }
      if (clock.monotonic() >= deadline) throw heldByUnknown(name);
      const ceiling = Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(attempt, 10));
      await timers.sleep(retryMinMs + random.next() * ceiling);
    }
  }

  return {
    async acquire(name, purpose): Promise<HeldLease> {
      const path = lockPath(name);
      const mine = taken.get(path);
      if (mine !== undefined) throw heldBySelf(name, mine.owner);
      const self = processes.self();
      const hint: LeaseOwner = {
        pid: self.pid,
        started: self.started,
        boot: self.boot,
        sinceMs: clock.now(),
        purpose,
        runtime,
      };
      const entry: { owner: LeaseOwner; database: DatabaseSync | null } = { owner: hint, database: null };
      taken.set(path, entry);
      try {
        await files.makeDirectory(directory);
        entry.database = await lock(name);
        await writeHint(hintPath(name), hint);
      } catch (error) {
        // A hint that could not be written whole names nobody; that it could not is what there is to tell.
        if (entry.database !== null) await files.removeFile(hintPath(name)).catch(() => {});
        entry.database?.close();
        taken.delete(path);
        throw error;
      }
      return { name, release: releaseOnce(name, path) };
    },
    async renewHint(name) {
      const mine = taken.get(lockPath(name));
      if (mine === undefined || mine.database === null) return;
      const path = hintPath(name);
      const stands = await files.read(path);
      if (stands === null || !Buffer.from(encodeOwner(mine.owner)).equals(stands))
        await writeHint(path, mine.owner);
    },
    owner,
  };

  function releaseOnce(name: PodName, path: string): () => Promise<void> {
    let released: Promise<void> | null = null;
    return () => (released ??= release(name, path));
  }

  /** The hint goes first, while the lock still keeps others from writing theirs. */
  async function release(name: PodName, path: string): Promise<void> {
    try {
      await files.removeFile(hintPath(name));
    } finally {
      taken.get(path)?.database?.close();
      taken.delete(path);
    }
  }
}

/** Null when another process has the lock. The journal stays in memory, so that no third file appears in the directory. */
function tryLock(path: string): DatabaseSync | null {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return null;
    throw new YoiError(
      "io_failed",
      `The lock file ${path} cannot be locked (${messageOf(error)}): check its permissions and that it is an empty file on a local disk.`,
      { cause: error, place: { path } },
    );
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
