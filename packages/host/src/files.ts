/** Files: every durable write in yoi goes through this port. The Node one and the in-memory one behave alike. */

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly bytes: number;
  /** A file that its owner may run. */
  readonly executable: boolean;
  readonly modifiedMs: number;
  /** Identity of the file on its device, to notice that a path names another file now. */
  readonly inode: number;
}

/** One file open for appending. One owner; calls are made one at a time. */
export interface AppendFile {
  /** Bytes written so far, from the start of the file: where the next append lands. */
  readonly bytes: number;
  /**
   * Writes all of `data` at the end, in as many write calls as it takes. On failure (also after a short write) it throws;
   * `bytes` is then what the file really holds as far as known: the owner cuts back with `truncate`.
   * Not durable until `sync` returns.
   */
  append(data: Uint8Array): Promise<void>;
  /** fdatasync. After a failure nothing that was not synced before may be trusted: the owner must not retry. */
  sync(): Promise<void>;
  /** Cuts the file to `bytes`. */
  truncate(bytes: number): Promise<void>;
  /** What stands under the path now: another writer, another file, or none (null) shows here. */
  stat(): Promise<FileStat | null>;
  close(): Promise<void>;
}

/**
 * The file system as yoi's stores see it. Paths are absolute. A missing file is `null` where the return type says so and a
 * YoiError otherwise. Failures are YoiErrors with code disk_full (ENOSPC, EDQUOT), permission_denied (EACCES, EPERM, EROFS) or io_failed, naming the
 * operation and the path. Files are created 0600 (0700 where they are to be executable) and directories 0700.
 */
export interface Files {
  read(path: string): Promise<Uint8Array | null>;
  /** Bytes [from, from + length); fewer at the end of the file. */
  readRange(path: string, from: number, length: number): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat | null>;
  /** Names in a directory, sorted; [] when it is missing. */
  list(path: string): Promise<readonly string[]>;
  /**
   * mkdir -p; the whole path is durable on return: parents of what it makes are synced, and so is, once, the parent of what it finds, whose
   * maker may have died before its sync.
   */
  makeDirectory(path: string): Promise<void>;
  /** Opens an existing file for appending. */
  openAppend(path: string): Promise<AppendFile>;
  /** Creates a new file for appending; refused (io_failed) when it exists. The directory entry is durable only after `syncDirectory`. */
  createAppend(path: string): Promise<AppendFile>;
  /** Replaces or creates a file whole: temp file beside it, fsync, rename, fsync of the directory. Durable on return. */
  replace(path: string, data: Uint8Array, mode?: { readonly executable: boolean }): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Removes a file; fine when it is missing. */
  removeFile(path: string): Promise<void>;
  /** Removes a directory and all below it; fine when it is missing. */
  removeTree(path: string): Promise<void>;
}
