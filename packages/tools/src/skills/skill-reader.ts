/** How folders of skills are read: by the scoped walk, so that a link in one cannot bring another file into a prompt. */
import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path/posix";
import { messageOf, type Scope, YoiError } from "@yoi/base";
import { isWithin, type Protection, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "../scoped-files.ts";
import type { SkillReader } from "./skill-place.ts";

export interface SkillReaderOptions {
  /** What may be read, and all below. Canonical. */
  readonly directories: readonly string[];
  /** What may not, whatever lies there. */
  readonly deny?: Scope["deny"];
  /** Of a real path: false where a rule of the user keeps the file from the Pod's tools. */
  readonly mayRead?: (path: string) => boolean;
  readonly protection: Protection;
  /** Null: everybody's files are taken for ours. */
  readonly userId: number | null;
}

export function skillReader(options: SkillReaderOptions): SkillReader {
  const { directories, deny = [], mayRead = () => true, protection, userId } = options;
  const scope: Scope = { allow: directories.map((one) => scopeRule(one, "read")), deny };
  const files = createScopedFiles({ scope: () => scope, protection });
  const look = (path: string) => {
    try {
      return files.stat(path);
    } catch (error) {
      throw inWords(error, directories, deny);
    }
  };
  return {
    folders: async (directory) => {
      if (!isThere(directory) || look(directory)?.isDirectory !== true) return null;
      const { entries, isCut } = await files.list(directory);
      const folders = entries.filter(({ kind }) => kind === "directory" || kind === "link");
      return { names: folders.map(({ name }) => name), isCut };
    },
    read: async (path, bytesMax) => {
      const found = look(path);
      if (found === null) return null;
      if (!mayRead(found.path)) throw new YoiError("out_of_scope", "a rule about Read keeps it from Pods");
      if (!lstatSync(found.path).isFile()) throw new YoiError("usage", "it is not a regular file");
      if (found.bytes > bytesMax) throw tooLarge(found.bytes, bytesMax);
      const { path: real, bytes } = await files.read(found.path);
      if (bytes.length > bytesMax) throw tooLarge(bytes.length, bytesMax);
      return { path: real, bytes };
    },
    files: (directory, filesMax) => filesBelow(files, directory, filesMax),
    owner: (path) => {
      if (userId === null) return isThere(path) ? "ours" : null;
      const info = lookAt(path);
      if (info === null) return null;
      return info.uid === 0 || info.uid === userId ? "ours" : "foreign";
    },
  };
}

function isThere(path: string): boolean {
  return lookAt(path) !== null;
}

function lookAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : messageOf(error);
    if (code === "ENOTDIR") return null;
    throw new YoiError("io_failed", `it cannot be looked at (${String(code)})`, { cause: error });
  }
}

/** What the walk says of a scope says nothing here: this one is of the folders alone. */
function inWords(error: unknown, directories: readonly string[], deny: Scope["deny"]): unknown {
  const real = error instanceof YoiError && error.code === "out_of_scope" ? error.place?.path : undefined;
  if (real === undefined) return error;
  const said = (what: string) => new YoiError("out_of_scope", what, { cause: error });
  if (deny.some(({ target }) => isWithin(target, real))) return said("the scope denies it");
  if (directories.some((directory) => isWithin(directory, real))) return error;
  return said("it is a link that leads out of the folders of skills");
}

/** Folders within folders that are looked into. */
export const skillFilesDepthMax = 4;

async function filesBelow(
  files: ReturnType<typeof createScopedFiles>,
  directory: string,
  filesMax: number,
): Promise<{ readonly names: readonly string[]; readonly isCut: boolean }> {
  const names: string[] = [];
  let isCut = false;
  const look = async (below: string, depth: number): Promise<void> => {
    const { entries } = await files.list(join(directory, below));
    for (const { name, kind } of entries) {
      const path = join(below, name);
      if (names.length === filesMax) isCut = true;
      else if (kind === "file") names.push(path);
      else if (kind === "directory" && !name.startsWith(".")) {
        if (depth < skillFilesDepthMax) await look(path, depth + 1);
        else isCut = true;
      }
    }
  };
  await look("", 1);
  return { names: names.toSorted(), isCut };
}

function tooLarge(bytes: number, bytesMax: number): YoiError {
  return new YoiError("limit_exceeded", `it has ${bytes} bytes, and at most ${bytesMax} are read`);
}
