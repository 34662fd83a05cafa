/** A skill that was loaded, in one line, for who reads what happened. */
import type { SystemItem } from "./system-item.ts";

/** Not escaped. Null: it is no skill, or one that stands further up and did not come again. */
export function skillLine({ kind, source, record, body }: SystemItem): string | null {
  const name = record?.["skill"];
  if (kind !== "skill" || source !== "host" || typeof name !== "string") return null;
  const lines = body.trim().split("\n").length;
  return `skill ${name} loaded (${lines} ${lines === 1 ? "line" : "lines"})`;
}
