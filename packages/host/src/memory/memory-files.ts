/** Files over the simulated disk. */
import { basename, dirname, resolve } from "node:path/posix";
import type { Clock } from "@yoi/base";
import { fileError } from "../file-error.ts";
import type { AppendFile, Files, FileStat } from "../files.ts";
import { temporaryPath } from "../temporary.ts";
import type { Disk } from "./disk.ts";
import { DiskFile } from "./disk-file.ts";
import { DiskDirectory, type DiskNode } from "./disk-tree.ts";

const nothing = new Uint8Array(0);

function find(disk: Disk, path: string): DiskNode | undefined {
  let node: DiskNode | undefined = disk.root;
  for (const name of resolve("/", path).split("/")) {
    if (name === "") continue;
    if (!(node instanceof DiskDirectory)) return undefined;
    node = node.get(name);
  }
  return node;
}

/** What the platter holds of a file: what is left of it when power fails now and nothing more is written back. Null: no file. */
export function durableBytes(disk: Disk, path: string): Uint8Array | null {
  let node: DiskNode | undefined = disk.root;
  for (const name of resolve("/", path).split("/")) {
    if (name !== "") node = node instanceof DiskDirectory ? node.durable(name) : undefined;
  }
  return node instanceof DiskFile ? node.durable() : null;
}

function directoryOf(disk: Disk, operation: string, path: string): DiskDirectory {
  const parent = find(disk, dirname(path));
  if (parent instanceof DiskDirectory) return parent;
  throw fileError(operation, path, parent === undefined ? "ENOENT" : "ENOTDIR");
}

function statOf(node: DiskNode): FileStat {
  return node instanceof DiskFile
    ? {
        kind: "file",
        bytes: node.bytes,
        executable: node.executable,
        modifiedMs: node.modifiedMs,
        inode: node.inode,
      }
    : { kind: "directory", bytes: 0, executable: false, modifiedMs: 0, inode: node.inode };
}

async function write(
  disk: Disk,
  clock: Clock,
  path: string,
  file: DiskFile,
  data: Uint8Array,
): Promise<void> {
  await disk.run("write", path, data, {
    apply: () => file.append(data),
    partly: (bytes) => file.append(data.subarray(0, bytes)),
    bytes: data.length,
  });
  file.modifiedMs = clock.now();
}

async function sync(disk: Disk, path: string, file: DiskFile): Promise<void> {
  await disk.run("sync", path, nothing, {
    apply: () => file.sync(),
    failed: () => file.failSync(),
    lied: () => {},
  });
}

function appendFile(disk: Disk, clock: Clock, path: string, file: DiskFile): AppendFile {
  return {
    get bytes() {
      return file.bytes;
    },
    append: (data) => write(disk, clock, path, file, data),
    sync: () => sync(disk, path, file),
    truncate: (bytes) => disk.run("truncate", path, nothing, { apply: () => file.truncate(bytes) }),
    async stat() {
      disk.assertAlive();
      const node = find(disk, path);
      return node === undefined ? null : statOf(node);
    },
    async close() {
      disk.assertAlive();
    },
  };
}

/** Everything but what creates, which needs more than a path: see `memoryFiles`. */
function lookups(disk: Disk): Pick<Files, "read" | "readRange" | "stat" | "list"> {
  return {
    read: (path) =>
      disk.run("read", path, nothing, {
        apply: () => {
          const node = find(disk, path);
          if (node instanceof DiskDirectory) throw fileError("read", path, "EISDIR");
          return node?.read() ?? null;
        },
      }),
    readRange: (path, from, length) =>
      disk.run("read", path, nothing, {
        apply: () => {
          const node = find(disk, path);
          if (node instanceof DiskFile) return node.read(from, length);
          throw fileError("read", path, node === undefined ? "ENOENT" : "EISDIR");
        },
      }),
    async stat(path) {
      disk.assertAlive();
      const node = find(disk, path);
      return node === undefined ? null : statOf(node);
    },
    async list(path) {
      disk.assertAlive();
      const node = find(disk, path);
      if (node instanceof DiskFile) throw fileError("list", path, "ENOTDIR");
      return node?.names() ?? [];
    },
  };
}

export function memoryFiles(disk: Disk, clock: Clock): Files {
  const syncDirectory = (path: string): Promise<void> =>
    disk.run("sync_directory", path, nothing, {
      apply: () => {
        const node = find(disk, path);
        if (!(node instanceof DiskDirectory)) {
          throw fileError("sync the directory", path, node === undefined ? "ENOENT" : "ENOTDIR");
        }
        node.sync();
      },
      failed: () => {
        const node = find(disk, path);
        if (node instanceof DiskDirectory) node.failSync();
      },
      lied: () => {},
    });

  const remove = (path: string): Promise<void> =>
    disk.run("remove", path, nothing, {
      apply: () => {
        const parent = find(disk, dirname(path));
        if (!(parent instanceof DiskDirectory) || parent.get(basename(path)) === undefined) return;
        parent.change(new Map([[basename(path), null]]));
      },
    });

  const makeDirectory = async (path: string): Promise<void> => {
    disk.assertAlive();
    const found = find(disk, path);
    if (found instanceof DiskFile) throw fileError("create the directory", path, "EEXIST");
    if (found === undefined) {
      await makeDirectory(dirname(path));
      await disk.run("create", path, nothing, {
        apply: () => {
          if (find(disk, path) !== undefined) return;
          const parent = directoryOf(disk, "create the directory", path);
          parent.change(new Map([[basename(path), new DiskDirectory(disk.nextInode())]]));
        },
      });
    }
    try {
      await syncDirectory(dirname(path));
    } catch (error) {
      // As the Node one: an entry that could not be made durable is taken away.
      if (found === undefined && !disk.crashed) await remove(path).catch(() => {});
      throw error;
    }
  };

  const createFile = (operation: string, path: string): Promise<DiskFile> =>
    disk.run("create", path, nothing, {
      apply: () => {
        const parent = directoryOf(disk, operation, path);
        if (parent.get(basename(path)) !== undefined) throw fileError(operation, path, "EEXIST");
        const file = new DiskFile(disk.nextInode(), clock.now());
        parent.change(new Map([[basename(path), file]]));
        return file;
      },
    });

  const rename = (from: string, to: string, file: DiskFile): Promise<void> =>
    disk.run("rename", to, nothing, {
      apply: () => {
        const parent = directoryOf(disk, "replace", to);
        if (parent.get(basename(to)) instanceof DiskDirectory) throw fileError("replace", to, "EISDIR");
        parent.change(
          new Map<string, DiskNode | null>([
            [basename(from), null],
            [basename(to), file],
          ]),
        );
      },
    });

  return {
    ...lookups(disk),
    makeDirectory,
    syncDirectory,
    async openAppend(path) {
      disk.assertAlive();
      const node = find(disk, path);
      if (node instanceof DiskFile) return appendFile(disk, clock, path, node);
      throw fileError("open", path, node === undefined ? "ENOENT" : "EISDIR");
    },
    createAppend: async (path) => appendFile(disk, clock, path, await createFile("create", path)),
    async replace(path, data, { executable } = { executable: false }) {
      const temporary = temporaryPath(path, String(disk.nextInode()));
      const file = await createFile("replace", temporary);
      file.executable = executable;
      try {
        await write(disk, clock, path, file, data);
        await sync(disk, path, file);
        await rename(temporary, path, file);
      } catch (error) {
        if (!disk.crashed) await remove(temporary).catch(() => {});
        throw error;
      }
      await syncDirectory(dirname(path));
    },
    async removeFile(path) {
      if (find(disk, path) instanceof DiskDirectory) throw fileError("remove", path, "EISDIR");
      await remove(path);
    },
    removeTree: remove,
  };
}
