/** Reading a file that a user named or planted: a regular one of bounded size, and never a wait for what has no end. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { messageOf } from "@yoi/base";

export type SmallFile =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "missing" | "not_a_file" | "too_large" }
  /** `code`: the system's, as in EACCES. */
  | { readonly kind: "unreadable"; readonly code: string };

/** Text of a regular file of at most `bytesMax`; bytes that are not UTF-8 become U+FFFD. */
export async function readSmallFile(path: string, bytesMax: number): Promise<SmallFile> {
  try {
    // A FIFO without a writer would hold the open, and with it a thread that no signal handler ends.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const info = await file.stat();
    if (!info.isFile()) return { kind: "not_a_file" };
    if (info.size > bytesMax) return { kind: "too_large" };
    // It may grow meanwhile.
    const buffer = Buffer.allocUnsafe(bytesMax + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = (await file.read(buffer, length, buffer.length - length, null)).bytesRead;
    if (length > bytesMax) return { kind: "too_large" };
    return { kind: "read", text: buffer.toString("utf8", 0, length) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
    // ENXIO: a socket.
    if (code === "ENXIO") return { kind: "not_a_file" };
    return code === "ENOENT" || code === "ENOTDIR" ? { kind: "missing" } : { kind: "unreadable", code };
  }
}
