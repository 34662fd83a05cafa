/** Descriptors of places: opened by name below another descriptor, never by a path that somebody could change meanwhile. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { YoiError } from "@yoi/base";
import { quotePath } from "@yoi/scope";

/** Node does not name it. The same on x64 and arm64. */
const O_PATH = 0o10000000;

/** An open place: `fd` names the file or directory itself, whatever happens to its path. */
export interface Place {
  readonly fd: number;
  readonly stat: BigIntStats;
}

/** Where the kernel finds `name` in the directory that `fd` is open on. */
export function below(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

/** The file that `fd` is open on, as something to open again. */
export function itself(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

export function closeAll(fds: readonly number[]): void {
  for (const fd of fds) closeSync(fd);
}

export function openRoot(): Place {
  try {
    return placeOf(openSync("/", O_PATH | constants.O_DIRECTORY));
  } catch (cause) {
    throw failure("open", "/", cause);
  }
}

/** Opens an entry of a directory without following it and without any effect on it; null when it is not there. */
export function openEntry(directory: number, name: string, path: string): Place | null {
  try {
    return placeOf(openSync(below(directory, name), O_PATH | constants.O_NOFOLLOW));
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return null;
    throw failure("open", path, cause);
  }
}

function placeOf(fd: number): Place {
  try {
    return { fd, stat: fstatSync(fd, { bigint: true }) };
  } catch (cause) {
    closeSync(fd);
    throw cause;
  }
}

/** The text of the link `name` in a directory. */
export function readLinkEntry(directory: number, name: string, path: string): string {
  try {
    return readlinkSync(below(directory, name));
  } catch (cause) {
    throw failure("read the link", path, cause);
  }
}

/** The path that the kernel knows for a descriptor now; it differs from the walked one when somebody moved the file meanwhile. */
export function pathNow(fd: number): string {
  return readlinkSync(itself(fd));
}

/** What is mounted where, as the kernel tells this process: a line each, one character a byte. */
export function mountTable(): string {
  try {
    return readFileSync("/proc/self/mountinfo", "latin1");
  } catch (cause) {
    throw failure("read", "/proc/self/mountinfo", cause);
  }
}

export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string"
    ? thrown.code
    : "unknown";
}

const reasons: Readonly<Record<string, readonly ["permission_denied" | "disk_full" | "io_failed", string]>> =
  {
    EACCES: ["permission_denied", "the operating system does not permit it"],
    EPERM: ["permission_denied", "the operating system does not permit it"],
    EROFS: ["permission_denied", "the file system is read-only"],
    ENOSPC: ["disk_full", "the disk is full"],
    EDQUOT: ["disk_full", "the disk quota is used up"],
    ENOENT: ["io_failed", "it is not there any more"],
    ENAMETOOLONG: ["io_failed", "the name is too long for the file system"],
    EMFILE: ["io_failed", "too many files are open"],
  };

/** A failure of the operating system as one sentence. */
export function failure(doing: string, path: string, cause: unknown): YoiError {
  const code = codeOf(cause);
  const [kind, reason] = reasons[code] ?? ["io_failed", `the operating system says ${code}`];
  return new YoiError(kind, `Could not ${doing} ${quotePath(path)}: ${reason}.`, { cause, place: { path } });
}
