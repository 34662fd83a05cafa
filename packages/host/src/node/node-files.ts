/**
 * Files over `node:fs`. What only looks up or changes a name is asked for at once: two microseconds, where a round trip to another thread costs
 * thirty and more. Syncs, and whatever has a length, are waited for.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  fsync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFile,
  writeFileSync,
} from "node:fs";
import { open, readdir, readFile, rm } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { YoiError } from "@yoi/base";
import { errnoOf, fileError } from "../file-error.ts";
import type { AppendFile, Files } from "../files.ts";
import { temporaryPath } from "../temporary.ts";
import { atOnceBytesMax, nodeAppendFile } from "./append-file.ts";
import { toFileStat } from "./file-stat.ts";

const fileMode = 0o600;
const executableMode = 0o700;
const directoryMode = 0o700;

/** Runs one operation; `missing` stands for a path that is not there, when the operation has an answer for that. */
async function attempt<T>(operation: string, path: string, run: () => Promise<T>, missing?: T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof YoiError) throw error;
    const errno = errnoOf(error);
    if (errno === "ENOENT" && missing !== undefined) return missing;
    throw fileError(operation, path, errno, error);
  }
}

const synced = promisify(fsync);
const writeAll = promisify(writeFile);

async function syncDirectory(path: string): Promise<void> {
  await attempt("sync the directory", path, async () => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await synced(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

function directoryAt(path: string): BigIntStats | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found?.isDirectory() === true ? found : null;
}

/** Directories whose entry this process knows to be durable, by path: which directory that was. */
const durable = new Map<string, string>();

function identityOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

async function makeDirectory(path: string): Promise<void> {
  const parent = dirname(path);
  await attempt("create the directory", path, async () => {
    const found = directoryAt(path);
    if (found === null) {
      if (parent !== path) await makeDirectory(parent);
      durable.set(path, await addDirectory(path, parent));
    } else if (durable.get(path) !== identityOf(found)) {
      await syncFoundEntry(parent);
      durable.set(path, identityOf(found));
    }
  });
}

/** Says which directory it then is. */
async function addDirectory(path: string, parent: string): Promise<string> {
  try {
    mkdirSync(path, { mode: directoryMode });
  } catch (error) {
    // Another process may have made it in between.
    if (errnoOf(error) !== "EEXIST" || directoryAt(path) === null) throw error;
  }
  const made = identityOf(statSync(path, { bigint: true }));
  try {
    await syncDirectory(parent);
  } catch (error) {
    // A later sync would succeed without making this entry durable: taken away, so that it is made anew.
    try {
      rmdirSync(path);
    } catch {
      // Not empty: somebody else uses it.
    }
    throw error;
  }
  return made;
}

/** Whoever made a directory that is there already may have died before its sync. */
async function syncFoundEntry(parent: string): Promise<void> {
  try {
    await syncDirectory(parent);
  } catch (error) {
    // A parent that this user may not read belongs to the system, and so does its entry.
    if (!(error instanceof YoiError) || error.code !== "permission_denied") throw error;
  }
}

async function writeTemporary(path: string, data: Uint8Array, mode: number): Promise<void> {
  const descriptor = openSync(path, "wx", mode);
  try {
    if (data.length <= atOnceBytesMax) writeFileSync(descriptor, data);
    else await writeAll(descriptor, data);
    await synced(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function replace(
  path: string,
  data: Uint8Array,
  { executable }: { readonly executable: boolean } = { executable: false },
): Promise<void> {
  const temporary = temporaryPath(path, randomUUID());
  await attempt("replace", path, async () => {
    try {
      await writeTemporary(temporary, data, executable ? executableMode : fileMode);
      renameSync(temporary, path);
    } catch (error) {
      // The first failure is the one to tell; a temp file that cannot be removed now changes nothing about it.
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  });
  await syncDirectory(dirname(path));
}

function openForAppend(operation: string, path: string, flags: number): Promise<AppendFile> {
  return attempt(operation, path, async () =>
    nodeAppendFile(openSync(path, constants.O_WRONLY | constants.O_APPEND | flags, fileMode), path),
  );
}

export const nodeFiles: Files = {
  read: (path) => attempt<Uint8Array | null>("read", path, () => readFile(path), null),
  readRange: (path, from, length) =>
    attempt("read", path, async () => {
      await using handle = await open(path, "r");
      const buffer = Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    }),
  stat: (path) =>
    attempt("look at", path, async () => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found === undefined ? null : toFileStat(found);
    }),
  list: (path) => attempt("list", path, async () => (await readdir(path)).sort(), []),
  makeDirectory,
  openAppend: (path) => openForAppend("open", path, 0),
  createAppend: (path) => openForAppend("create", path, constants.O_CREAT | constants.O_EXCL),
  replace,
  syncDirectory,
  removeFile: (path) => attempt("remove", path, () => rm(path, { force: true })),
  removeTree: (path) => attempt("remove", path, () => rm(path, { recursive: true, force: true })),
};
