/** A compaction whose process died: its end, as the next owner puts it on record. */
import { type EntryBody, noSpent, type Spent } from "@yoi/base";
import { replay, type SessionState, type SessionStore } from "@yoi/session-store";
import { unfinished } from "./compaction.ts";

/** Empty where no try is open. What its compactor used is read from its segment, which stays. Throws what reading that throws. */
export async function interruptedCompaction(
  sessions: Pick<SessionStore, "read" | "readStart">,
  { compaction, session, items }: Pick<SessionState, "compaction" | "session" | "items">,
): Promise<readonly EntryBody[]> {
  if (compaction === null) return [];
  const { compactor } = compaction;
  const spent = compactor === null ? noSpent : await spentIn(sessions, { session, segment: compactor });
  const message = "the process that compacted ended before it did";
  return [{ ...unfinished(compaction, items.length), outcome: "interrupted", message, spent }];
}

/** The process may have died before it began its segment, or in the middle of that. */
async function spentIn(
  sessions: Pick<SessionStore, "read" | "readStart">,
  ref: Parameters<SessionStore["read"]>[0],
): Promise<Spent> {
  if ((await sessions.readStart(ref)) === null) return noSpent;
  const { entries } = await sessions.read(ref);
  return entries.length === 0 ? noSpent : replay(entries).spent;
}
