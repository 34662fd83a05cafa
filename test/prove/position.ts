/** Where each proof stopped, so that the next run goes on from there. One small JSON file, replaced whole. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Proof name -> index of its next case. */
export type Positions = ReadonlyMap<string, number>;

/** Positions are a convenience: a missing file is an empty one, a damaged one says so. */
export function loadPositions(path: string): Positions {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return new Map();
    throw error;
  }
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1])));
  } catch (cause) {
    throw new Error(`${path} is not JSON; delete it to prove from the start`, { cause });
  }
}

export function savePositions(path: string, positions: Positions): void {
  mkdirSync(dirname(path), { recursive: true });
  const temp = `${path}.${process.pid}`;
  writeFileSync(temp, `${JSON.stringify(Object.fromEntries(positions), null, 2)}\n`);
  renameSync(temp, path);
}
