/** File names for what others named: every id has one of its own, on file systems that do not tell cases apart too, and none leads elsewhere. */
import { hash } from "node:crypto";

/** Of a name without its suffix: with it, and as a temp file, it stays below the 255 that a file system takes. */
export const encodedBytesMax = 180;

/**
 * Lower-case letters, digits, `-`, `_`, and `.` but at the start, stand for themselves; every other byte is `%` and two hex digits. What would be too long is `~` and its
 * SHA-256: no encoded name begins so.
 */
export function encodedName(id: string): string {
  const encoded = Buffer.from(id, "utf8")
    .toString("latin1")
    .replace(/^\.|[^a-z0-9._-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return encoded.length <= encodedBytesMax ? encoded : `~${hash("sha256", id, "hex")}`;
}

/** Characters of an id. */
export const idCharsMax = 256;

/** Why a text is no id that something is kept under, as the end of a sentence; null: it is one. */
export function idProblem(id: unknown): string | null {
  if (typeof id !== "string" || id === "") return "is empty";
  if (id.length > idCharsMax) return `has more than ${idCharsMax} characters`;
  if (/\p{Cc}/u.test(id) || !id.isWellFormed()) return "holds a character that it may not";
  return null;
}
