/** ScopedFiles: the file system as the tools of one Pod see it. The scope is asked at the moment of use, about the real path. */
import { type Scope, YoiError } from "@yoi/base";
import { type Protection, quotePath } from "@yoi/scope";
import { bytesOf, Descent } from "./scoped-files/descent.ts";
import { type ListedDirectory, type ListedEntry, listWalked } from "./scoped-files/list.ts";
import { type HeldFile, inspectWalked, putBackWalked, type WantedFile } from "./scoped-files/put-back.ts";
import { mustBeFile, readWalked, type ReadFile } from "./scoped-files/read.ts";
import { type Expected, replaceWalked, type Written } from "./scoped-files/replace.ts";
import { narrowedTo, rulesOf } from "./scoped-files/rules.ts";
import { type Tree, type TreeOptions, walkTree } from "./scoped-files/tree.ts";
import { walk } from "./scoped-files/walk.ts";

export type { Expected, HeldFile, ListedDirectory, ListedEntry, ReadFile, WantedFile, Written };
export { listedEntriesMax } from "./scoped-files/list.ts";
export type { FileIdentity } from "./scoped-files/read.ts";

/** Most bytes of one file that are read or written. */
export const fileBytesMax = 16 * 1024 * 1024;

/**
 * Every failure is a YoiError: out_of_scope for what the scope or the protection forbids and for what is not a regular file,
 * io_failed for a missing file, limit_exceeded for a large one, permission_denied and disk_full as the operating system says.
 */
export interface ScopedFiles {
  /** The whole file. */
  read(path: string): Promise<ReadFile>;
  /** What is in a directory. */
  list(path: string): Promise<ListedDirectory>;
  /** The files below a directory, or the one file that the path names. */
  tree(path: string, options: TreeOptions): Promise<Tree & { readonly start: string }>;
  /** For going to files that `tree` found, under the rules of this moment. The caller closes it. */
  descend(): Descent;
  /** What is there, without reading it; null when nothing is. */
  stat(path: string): { readonly path: string; readonly bytes: number; readonly isDirectory: boolean } | null;
  /** Replaces or creates a file whole and durably, parents included, if what is there is as `expected`. Mode and owner are kept. */
  write(path: string, data: Uint8Array, expected: Expected): Promise<Written>;
  /** A file that may be written, at the path itself; null: nothing is there. What a link leads to is out of scope. */
  inspect(path: string): Promise<HeldFile | null>;
  /** Makes a path hold what it held, durably, or nothing, if what is there is what was inspected. */
  putBack(path: string, wanted: WantedFile): Promise<void>;
  /** The real path, for telling whether two calls mean one file; as text where the scope refuses to look. */
  locate(path: string): string;
}

/**
 * `protection` as sandbox's `resolveProtection` gives it: shells and file tools obey the same value. With `within`, nothing outside of that is
 * touched, and inside of it nothing that would not be touched without it.
 */
export function createScopedFiles(options: {
  readonly scope: () => Scope;
  readonly protection: Protection;
  readonly within?: Scope;
}): ScopedFiles {
  const { scope, protection, within } = options;
  const rules = () => {
    const whole = rulesOf(scope(), protection);
    return within === undefined ? whole : narrowedTo(whole, within);
  };
  return {
    read: async (path) => {
      const walked = walk(path, "read", rules());
      try {
        return await readWalked(walked, fileBytesMax);
      } finally {
        walked.close();
      }
    },
    list: async (path) => {
      const now = rules();
      const walked = walk(path, "read", now);
      try {
        return await listWalked(walked, now);
      } finally {
        walked.close();
      }
    },
    tree: async (path, options) => {
      const now = rules();
      const walked = walk(path, "read", now);
      walked.close();
      const { entry } = walked;
      if (entry === null)
        throw new YoiError("io_failed", `${quotePath(walked.path)} does not exist.`, {
          place: { path: walked.path },
        });
      const start = bytesOf(walked.path);
      if (!entry.stat.isDirectory()) {
        mustBeFile(entry.stat, walked.path);
        return { start, files: [start], unreadable: [], cutAt: null, isThinned: false };
      }
      const descent = new Descent(now);
      try {
        const prefix = start === "/" ? start : `${start}/`;
        return { start, ...(await walkTree(descent, prefix, options)) };
      } finally {
        descent.close();
      }
    },
    descend: () => new Descent(rules()),
    stat: (path) => {
      const walked = walk(path, "read", rules());
      try {
        if (walked.entry === null) return null;
        const { stat } = walked.entry;
        return { path: walked.path, bytes: Number(stat.size), isDirectory: stat.isDirectory() };
      } finally {
        walked.close();
      }
    },
    write: async (path, data, expected) => {
      const now = rules();
      const walked = walk(path, "write", now);
      try {
        return await replaceWalked(walked, data, expected, now);
      } finally {
        walked.close();
      }
    },
    inspect: async (path) => {
      const walked = walk(path, "write", rules());
      try {
        return await inspectWalked(walked, path, fileBytesMax);
      } finally {
        walked.close();
      }
    },
    putBack: async (path, wanted) => {
      const now = rules();
      const walked = walk(path, "write", now);
      try {
        await putBackWalked(walked, path, wanted, now);
      } finally {
        walked.close();
      }
    },
    locate: (path) => {
      try {
        const walked = walk(path, "read", rules());
        walked.close();
        return walked.path;
      } catch {
        return path;
      }
    },
  };
}
