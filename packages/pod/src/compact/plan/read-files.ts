/** read_files: which files the model was shown, with their digests, so that it can go on with them after a compaction. Pure. */
import { type SystemItem, utf8Length } from "@yoi/base";
import type { ShownRecord } from "@yoi/tools";
import { hostSource } from "./history-parts.ts";

/** Files that go on: those used last. */
export const readFilesMax = 256;
/** UTF-8 bytes of their records as JSON. */
export const readFilesBytesMax = 256 * 1024;

/** Null: there are none. @param files the one used last is last. @param bytesMax of the text that the model reads. */
export function readFilesItem(files: readonly ShownRecord[], bytesMax: number): SystemItem | null {
  const kept = lastOf(files);
  if (kept.length === 0) return null;
  return {
    type: "system_item",
    kind: "read_files",
    source: hostSource,
    reason: "files that were read or written before history was compacted",
    body: bodyOf(kept, bytesMax),
    record: { files: kept.map((file) => ({ ...file })) },
  };
}

function lastOf(files: readonly ShownRecord[]): readonly ShownRecord[] {
  const last = files.slice(-readFilesMax);
  let room = readFilesBytesMax;
  const from = last.findLastIndex((file) => {
    room -= utf8Length(JSON.stringify(file)) + 1;
    return room < 0;
  });
  return last.slice(from + 1);
}

function bodyOf(files: readonly ShownRecord[], bytesMax: number): string {
  const head =
    "Files that you read or wrote before. Where their text is not shown below, read again what you need of it. One that has not changed since can be edited at once. Last used first:";
  let room = bytesMax - utf8Length(head);
  const lines: string[] = [];
  for (const { path, sha256 } of files.toReversed()) {
    const line = `${JSON.stringify(path)} sha256 ${sha256.slice(0, 12)}`;
    room -= utf8Length(line) + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = files.length - lines.length;
  if (lines.length === 0) return `${left} files that you read or wrote before are known as they were.`;
  return [head, ...lines, ...(left === 0 ? [] : [`(and ${left} more)`])].join("\n");
}
