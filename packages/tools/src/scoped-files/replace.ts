/** Replacing a walked file whole: a temporary file in the verified directory, synced, renamed, the directory synced. Never in place. */
import { type BigIntStats, closeSync, constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, rename, unlink } from "node:fs/promises";
import { YoiError } from "@yoi/base";
import { childOf, parentOf, quotePath } from "@yoi/scope";
import { below, codeOf, failure, openEntry, pathNow, type Place } from "./descriptor.ts";
import { type FileIdentity, identityOf, moved, mustBeFile, sameIdentity } from "./read.ts";
import { outOfScope, type Rules } from "./rules.ts";
import type { Walked } from "./walk.ts";

/** What must be at the path for the replacement to happen. */
export type Expected =
  | { readonly kind: "anything" }
  | { readonly kind: "missing" }
  | { readonly kind: "same"; readonly identity: FileIdentity };

export interface Written {
  readonly path: string;
  readonly created: boolean;
  readonly identity: FileIdentity;
  /** Permission bits. */
  readonly mode: number;
}

/** How many names for a temporary file are tried: what a killed process left behind takes some. */
const temporaryNamesMax = 1000;
const permissionBits = 0o1777n;

/** @param mode permission bits to give it; null: those of the file that it replaces, or the usual ones. */
export async function replaceWalked(
  walked: Walked,
  data: Uint8Array,
  expected: Expected,
  rules: Rules,
  mode: number | null = null,
): Promise<Written> {
  const { entry, path } = walked;
  if (entry !== null) checkReplaceable(entry.stat, path);
  if (expected.kind !== "anything" && (entry === null) !== (expected.kind === "missing")) throw changed(path);
  if (entry !== null && expected.kind === "same" && !sameIdentity(identityOf(entry.stat), expected.identity))
    throw changed(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const opened: Place[] = [];
  try {
    const directory = await makeParents(walked, rules, opened);
    const stat = await replaceIn(directory, name, { path, data, mode }, entry?.stat ?? null);
    return { path, created: entry === null, identity: identityOf(stat), mode: Number(stat.mode) & 0o777 };
  } finally {
    for (const place of opened) closeSync(place.fd);
  }
}

export function checkReplaceable(stat: BigIntStats, path: string): void {
  mustBeFile(stat, path);
  if (stat.nlink > 1n) {
    throw new YoiError(
      "out_of_scope",
      `${quotePath(path)} has ${stat.nlink} hard links, so it is also somewhere else: copy it, remove the original, and change the copy.`,
    );
  }
}

/** Makes the missing directories above the file, one by one, each under the rules. */
async function makeParents(walked: Walked, rules: Rules, opened: Place[]): Promise<Place> {
  let directory = walked.parent;
  let path = walked.parentPath;
  for (const name of walked.missing.slice(0, -1)) {
    const next = childOf(path, name);
    if (rules.permission(next) !== "write")
      throw outOfScope(walked.path, next, "write", rules.permission(next));
    try {
      await mkdir(below(directory.fd, name));
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw failure("make the directory", next, cause);
    }
    const made = openEntry(directory.fd, name, next);
    if (made === null || !made.stat.isDirectory()) {
      if (made !== null) closeSync(made.fd);
      throw changed(next);
    }
    opened.push(made);
    await syncDirectory(directory, path);
    directory = made;
    path = next;
  }
  return directory;
}

async function replaceIn(
  directory: Place,
  name: string,
  { path, data, mode }: { readonly path: string; readonly data: Uint8Array; readonly mode: number | null },
  old: BigIntStats | null,
): Promise<BigIntStats> {
  const { file, temporary } = await createTemporary(directory, path, old === null ? 0o666 : 0o600);
  try {
    try {
      await file.writeFile(data);
      if (old !== null) await keepOwnerAndMode(file, old);
      if (mode !== null) await file.chmod(mode);
      await file.sync();
      await checkUnchanged(directory, name, path, old);
      await rename(below(directory.fd, temporary), below(directory.fd, name));
    } catch (cause) {
      await unlink(below(directory.fd, temporary)).catch((problem: unknown) => {
        if (codeOf(problem) !== "ENOENT")
          throw failure("remove the temporary file", childOf(parentOf(path), temporary), problem);
      });
      throw cause instanceof YoiError ? cause : failure("write", path, cause);
    }
    await syncDirectory(directory, parentOf(path));
    return await file.stat({ bigint: true });
  } finally {
    await file.close();
  }
}

async function createTemporary(
  directory: Place,
  path: string,
  mode: number,
): Promise<{ file: FileHandle; temporary: string }> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  for (let attempt = 0; attempt < temporaryNamesMax; attempt += 1) {
    const temporary = `.yoi-write-${attempt}`;
    try {
      return { file: await open(below(directory.fd, temporary), flags, mode), temporary };
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw failure("write", path, cause);
    }
  }
  throw new YoiError(
    "io_failed",
    `Could not write ${quotePath(path)}: remove the files named .yoi-write-* beside it, which a killed yoi left behind.`,
  );
}

/** The mode without set-user-id and set-group-id, as any write would leave it; the owner where the operating system permits. */
async function keepOwnerAndMode(file: FileHandle, old: BigIntStats): Promise<void> {
  const now = await file.stat({ bigint: true });
  if (now.uid !== old.uid || now.gid !== old.gid) {
    try {
      await file.chown(Number(old.uid), Number(old.gid));
    } catch (cause) {
      if (codeOf(cause) !== "EPERM") throw cause;
    }
  }
  await file.chmod(Number(old.mode & permissionBits));
}

/** The last look before the rename: the directory is still where it was walked to, and holds what was read. */
async function checkUnchanged(
  directory: Place,
  name: string,
  path: string,
  old: BigIntStats | null,
): Promise<void> {
  if (pathNow(directory.fd) !== parentOf(path)) throw moved(parentOf(path));
  const now = await lstat(below(directory.fd, name), { bigint: true }).catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return null;
    throw cause;
  });
  if ((now === null) !== (old === null)) throw changed(path);
  if (now !== null && old !== null && !sameIdentity(identityOf(now), identityOf(old))) throw changed(path);
}

export function changed(path: string): YoiError {
  return new YoiError(
    "usage",
    `${quotePath(path)} was changed by somebody else meanwhile: read it again, then repeat the change.`,
  );
}

export async function syncDirectory(directory: Place, path: string): Promise<void> {
  const handle = await open(below(directory.fd, "."), constants.O_RDONLY | constants.O_DIRECTORY).catch(
    (cause: unknown) => {
      throw failure("sync the directory", path, cause);
    },
  );
  try {
    await handle.sync();
  } catch (cause) {
    throw failure("sync the directory", path, cause);
  } finally {
    await handle.close();
  }
}
