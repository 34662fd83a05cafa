/** A skill that was loaded, in one line, for who reads what happened. */
import type { SystemItem } from "./system-item.ts";

/** Not escaped. Null: it is no skill. */
export function skillLine({ kind, source, record, body }: SystemItem): string | null {
  const name = record?.["skill"];
  if (kind !== "skill" || source !== "host" || typeof name !== "string") return null;
  // One that stands further up, and did not come again.
  if (record?.["sha256"] === undefined) return `skill ${name}: loaded before`;
  const lines = body.trim().split("\n").length;
  return `skill ${name} loaded (${lines} ${lines === 1 ? "line" : "lines"})`;
}
