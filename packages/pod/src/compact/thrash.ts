/** Thrashing: compactions one close after the other, which a run whose material does not fit would repeat for ever. */
import type { SessionState } from "@yoi/session-store";

/** So many in a row, and a run goes on no further. The next input begins anew. */
export const thrashCompactionsMax = 3;
/** With fewer whole answers than this since the one before, a compaction counts as in a row with it. */
export const thrashAnswersMin = 5;

/** How many there would be in a row with the next one. It follows from the log, so a restart forgets none. */
export function nextInRow({
  compactionsInRow,
  turnCount,
}: Pick<SessionState, "compactionsInRow" | "turnCount">): number {
  if (compactionsInRow === null || turnCount - compactionsInRow.turnCount >= thrashAnswersMin) return 1;
  return compactionsInRow.times + 1;
}
