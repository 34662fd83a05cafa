/** A log entry as it is stored, for JSON: one of a later version with its own fields. */
import { isKnown, type LogEntry } from "@yoi/base";

export function plainEntry(entry: LogEntry): object {
  if (isKnown(entry)) return entry;
  const { seq, batch, ts, kind, fields } = entry;
  return { seq, batch, ts, kind, ...fields };
}
