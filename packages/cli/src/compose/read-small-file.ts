/** Reading a file that a user named or planted: a regular one of bounded size, and never a wait for what has no end. */
import { constants, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { messageOf } from "@yoi/base";

export type SmallFile =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "missing" | "not_a_file" | "too_large" }
  /** `code`: the system's, as in EACCES. */
  | { readonly kind: "unreadable"; readonly code: string };

/** Text of a regular file of at most `bytesMax`; bytes that are not UTF-8 become U+FFFD. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return { kind: "missing" };
    if (!info.isFile()) return { kind: "not_a_file" };
    if (info.size > bytesMax) return { kind: "too_large" };
    // A FIFO put in its place meanwhile would hold the open, and with it a thread that no signal handler ends.
    const bytes = await readFile(path, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
    if (bytes.byteLength > bytesMax) return { kind: "too_large" };
    return { kind: "read", text: bytes.toString("utf8") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "missing" } : { kind: "unreadable", code };
  }
}
