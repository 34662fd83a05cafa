/** Git tracked: the files below a directory that repositories track: the one that it is in or begins, and those that begin below it. */
import { lstatSync, type Stats } from "node:fs";
import { resolve } from "node:path/posix";
import { YoiError } from "@yoi/base";
import { childOf, parentOf } from "@yoi/scope";
import { bytesOf, textOf } from "../scoped-files/descent.ts";
import type { ScopedFiles } from "../scoped-files.ts";
import { parseGitIndex } from "./git-index.ts";

/** Most bytes of a `.git` that is a file. */
const gitFileBytesMax = 8 * 1024;

export interface GitTracked {
  /** Absolute, one character a byte. */
  readonly paths: readonly string[];
  /** What says so: anything else is said once one of these changes. */
  readonly sources: ReadonlySet<string>;
}

/**
 * What may not be read in scope tracks nothing.
 * @param root real.
 * @param directories below it in which a repository may begin.
 */
export async function gitTracked(
  files: Pick<ScopedFiles, "read">,
  root: string,
  directories: Iterable<string>,
): Promise<GitTracked> {
  const sources = new Set<string>();
  const paths: string[] = [];
  const below = root === "/" ? root : `${root}/`;
  const tops = [...directories].filter(
    (one) => one.startsWith(below) && statOf(childOf(one, ".git")) !== null,
  );
  for (const top of [topOf(root, sources), ...tops]) {
    if (top === null) continue;
    const index = await indexOf(files, top, sources);
    if (index === null) continue;
    sources.add(index);
    const bytes = await readOrNull(files, index);
    const prefix = bytesOf(top === "/" ? top : `${top}/`);
    for (const name of (bytes === null ? null : parseGitIndex(bytes)) ?? [])
      if ((prefix + name).startsWith(bytesOf(below))) paths.push(prefix + name);
  }
  return { paths, sources };
}

/** The nearest one at or above a directory; null: none. */
function topOf(root: string, sources: Set<string>): string | null {
  for (let top = root; ; top = parentOf(top)) {
    const git = childOf(top, ".git");
    if (statOf(git) !== null) return top;
    sources.add(git);
    if (top === "/") return null;
  }
}

/** Of a worktree or a submodule, `.git` is a file that says where the repository is. */
async function indexOf(
  files: Pick<ScopedFiles, "read">,
  top: string,
  sources: Set<string>,
): Promise<string | null> {
  const git = childOf(top, ".git");
  if (statOf(git)?.isFile() !== true) return childOf(git, "index");
  sources.add(git);
  const bytes = await readOrNull(files, git);
  if (bytes === null || bytes.length > gitFileBytesMax) return null;
  const [, named] = /^gitdir: ([^\0\n]+)\n*$/.exec(textOf(bytes.toString("latin1"))) ?? [];
  if (named === undefined) return null;
  return resolve(top, named, "index");
}

async function readOrNull(files: Pick<ScopedFiles, "read">, path: string): Promise<Buffer | null> {
  try {
    return (await files.read(path)).bytes;
  } catch (error) {
    // It is not there, too large, or nothing that this Pod may read.
    if (error instanceof YoiError) return null;
    throw error;
  }
}

function statOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    // Closed, or below what is no directory.
    return null;
  }
}
