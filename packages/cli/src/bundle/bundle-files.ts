/** The files of a bundle as the stores see files: in memory, below one directory that is no directory, and never written. */
import { YoiError } from "@yoi/base";
import type { Files, FileStat } from "@yoi/host";

/** @param root stands before every path, in messages too. @param files by path relative to it. */
export function bundleFiles(root: string, files: ReadonlyMap<string, Uint8Array>): Files {
  const inside = (path: string): string | null =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
  const find = (path: string): Uint8Array | null => files.get(inside(path) ?? "") ?? null;
  const below = (path: string): readonly string[] => {
    const directory = path === root ? "" : `${inside(path) ?? "/"}/`;
    return [...files.keys()].flatMap((name) =>
      name.startsWith(directory) ? [name.slice(directory.length)] : [],
    );
  };
  const refuse = async (path: string): Promise<never> => {
    throw new YoiError("permission_denied", `${path} is in a bundle, which is only read.`);
  };
  return {
    read: async (path) => find(path),
    readRange: async (path, from, length) => {
      const bytes = find(path);
      if (bytes === null) throw new YoiError("io_failed", `${path} does not exist.`);
      return bytes.subarray(from, from + length);
    },
    stat: async (path): Promise<FileStat | null> => {
      const bytes = find(path);
      const common = { executable: false, modifiedMs: 0, inode: 0 };
      if (bytes !== null) return { kind: "file", bytes: bytes.byteLength, ...common };
      return below(path).length === 0 ? null : { kind: "directory", bytes: 0, ...common };
    },
    list: async (path) => [...new Set(below(path).map((name) => name.split("/")[0] ?? ""))].toSorted(),
    makeDirectory: refuse,
    openAppend: refuse,
    createAppend: refuse,
    replace: refuse,
    syncDirectory: refuse,
    removeFile: refuse,
    removeTree: refuse,
  };
}
