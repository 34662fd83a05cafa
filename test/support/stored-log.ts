/** A Pod's log as a killed process left it, read without any of yoi's own code. */
import { globSync, readFileSync } from "node:fs";

/** An entry as it stands in its line. */
export interface LogLine {
  readonly seq: number;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The log that a Pod's metadata names, or the only Pod's; null while there is none. A kill may have left others, which no name refers to. */
export function findLog(home: string, pod = "*"): string | null {
  const [metadata, ...others] = globSync(`${home}/pods/${pod}/metadata.json`);
  if (others.length > 0) throw new Error(`more than one Pod below ${home}`);
  if (metadata === undefined) return null;
  const { pointer } = JSON.parse(readFileSync(metadata, "utf8")) as {
    pointer: { session: string; segment: string };
  };
  return `${home}/sessions/${pointer.session}/${pointer.segment}.jsonl`;
}

/** The committed bytes: up to and including the last LF. */
export function committedBytes(home: string): Buffer {
  const path = findLog(home);
  if (path === null) return Buffer.alloc(0);
  const bytes = readFileSync(path);
  return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
}

export function linesOf(bytes: Buffer): readonly LogLine[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LogLine);
}
