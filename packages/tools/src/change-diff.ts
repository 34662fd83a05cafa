/** What a change of a file was, for people: unified hunks. */
import { structuredPatch } from "diff";
import { binaryKindOf } from "./text-file.ts";

/** As JSON; a larger change has no hunks. With what else a record holds it fits in the worker's `recordBytesMax`. */
export const diffBytesMax = 16 * 1024;
/** Of both texts together, and of lines removed and added: what comparing takes grows with them. */
const comparedCharsMax = 2 * 1024 * 1024;
const editsMax = 2000;
const contextLines = 3;

/** `{ diff }`: hunks with 3 lines around each change. `{}`: nothing changed, it is no text, or it is too much to show. */
export function changeDiff(before: Uint8Array | null, after: string): { readonly diff?: string } {
  const old = before === null ? "" : textIn(before);
  if (old === null || after.includes("\0") || old.length + after.length > comparedCharsMax) return {};
  const patch = structuredPatch("", "", old, after, undefined, undefined, {
    context: contextLines,
    maxEditLength: editsMax,
  });
  if (patch === undefined || patch.hunks.length === 0) return {};
  const diff = patch.hunks.map(hunkText).join("");
  return Buffer.byteLength(JSON.stringify(diff)) > diffBytesMax ? {} : { diff };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** A side without lines starts behind the line before it. */
function hunkText({ oldStart, oldLines, newStart, newLines, lines }: Hunk): string {
  const from = oldLines === 0 ? oldStart - 1 : oldStart;
  const to = newLines === 0 ? newStart - 1 : newStart;
  return `@@ -${from},${oldLines} +${to},${newLines} @@\n${lines.join("\n")}\n`;
}

function textIn(bytes: Uint8Array): string | null {
  if (binaryKindOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) !== null) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
