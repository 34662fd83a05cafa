/** A Pod's log as a killed process left it, read without any of yoi's own code. */
import { existsSync, globSync, readFileSync } from "node:fs";

/** An entry as it stands in its line. */
export interface LogLine {
  readonly seq: number;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The log of the only Pod below `home`; null while there is none. */
export function findLog(home: string): string | null {
  const sessions = `${home}/sessions`;
  if (!existsSync(sessions)) return null;
  const logs = globSync("*/*.jsonl", { cwd: sessions }).filter((path) => !path.endsWith(".trace.jsonl"));
  if (logs.length > 1) throw new Error(`several logs for one Pod: ${logs.join(", ")}`);
  return logs[0] === undefined ? null : `${sessions}/${logs[0]}`;
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
