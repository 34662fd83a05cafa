/** Edits a log as somebody would who knows the format: entries changed, and every checksum made right again. */
import { createHash } from "node:crypto";

const endBytes = 26;
const noSum = "0".repeat(16);

export interface EditableLine {
  kind: string;
  [field: string]: unknown;
}

/** `edit` changes an entry in place, or returns false to leave the line out (then seq is made dense again). */
export function rechain(log: Buffer, edit: (line: EditableLine) => boolean | void): Buffer {
  let sum = noSum;
  let seq = 0;
  /** Where each write begins now. */
  const batches = new Map<unknown, number>();
  const lines = log.toString("utf8").split("\n").slice(0, -1);
  const edited = lines.flatMap((line) => {
    const entry = JSON.parse(`${line.slice(0, -endBytes)}}`) as EditableLine;
    if (edit(entry) === false) return [];
    const batch = batches.get(entry["batch"]) ?? seq;
    batches.set(entry["batch"], batch);
    const text = JSON.stringify({ ...entry, seq, batch }).slice(0, -1);
    seq += 1;
    sum = createHash("sha256").update(sum).update(text).digest("hex").slice(0, 16);
    return [`${text},"sum":"${sum}"}\n`];
  });
  return Buffer.from(edited.join(""));
}
