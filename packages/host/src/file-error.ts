/** What a failed file operation becomes: one sentence with the operation, the path and what to do. */
import { YoiError, type ErrorCode } from "@yoi/base";

interface Meaning {
  readonly code: ErrorCode;
  readonly what: string;
  readonly advice: string;
}

const meanings: { readonly [errno: string]: Meaning } = {
  ENOSPC: { code: "disk_full", what: "the disk is full", advice: "free some space and try again" },
  EDQUOT: { code: "disk_full", what: "the disk quota is used up", advice: "free some space and try again" },
  EACCES: {
    code: "permission_denied",
    what: "permission is denied",
    advice: "give this user access to it, or choose another directory",
  },
  EPERM: {
    code: "permission_denied",
    what: "the system does not permit it",
    advice: "check the owner and the attributes of the file",
  },
  EROFS: {
    code: "permission_denied",
    what: "the file system is read-only",
    advice: "remount it for writing, or choose another directory",
  },
  ENOENT: { code: "io_failed", what: "it does not exist", advice: "check the path" },
  EEXIST: { code: "io_failed", what: "it exists already", advice: "move it away, or choose another name" },
  ENOTDIR: { code: "io_failed", what: "a part of the path is not a directory", advice: "check the path" },
  EISDIR: { code: "io_failed", what: "it is a directory", advice: "check the path" },
  EMFILE: { code: "io_failed", what: "too many files are open", advice: "raise the limit (ulimit -n)" },
  ENFILE: { code: "io_failed", what: "too many files are open", advice: "close other programs" },
  EIO: { code: "io_failed", what: "the disk reports an error", advice: "check the disk before going on" },
};

/** The error number's name, when `thrown` came from a system call. */
export function errnoOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !("code" in thrown)) return null;
  return typeof thrown.code === "string" ? thrown.code : null;
}

/** @param operation a verb as in "Cannot <operation> <path>". */
export function fileError(operation: string, path: string, errno: string | null, cause?: unknown): YoiError {
  const meaning = meanings[errno ?? ""] ?? {
    code: "io_failed",
    what: cause instanceof Error ? cause.message : "the operation failed",
    advice: "check the path and the disk",
  };
  const name = errno === null ? "" : ` (${errno})`;
  return new YoiError(
    meaning.code,
    `Cannot ${operation} ${path}: ${meaning.what}${name}; ${meaning.advice}.`,
    {
      place: { path },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
