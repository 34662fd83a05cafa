/** The start of a resumed run: the same turn goes on from where the log ends. */
import { resumingEntries } from "./closing.ts";
import type { History } from "./history.ts";
import type { RunOutcome } from "./outcome.ts";
import { runToolBatch } from "./tool-batch.ts";
import { endTurn } from "./turn.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

/** Started calls are closed as unknown, the others are judged again and run. Null: the loop goes on. */
export async function goOnWithOpenTurn(parts: WorkerParts, run: Run): Promise<RunOutcome | null> {
  const { history } = parts;
  const bodies = resumingEntries(history);
  if (bodies.length > 0) await history.append(bodies);
  if (history.unanswered.length > 0) return runToolBatch(parts, run, [...history.unanswered]);
  const text = finalText(history);
  return text === null ? null : endTurn(parts, run, text);
}

/** The text of a complete answer that history ends with; null when there is something left to ask the model. */
function finalText(history: History): string | null {
  const texts: string[] = [];
  let found = false;
  for (let index = history.items.length - 1; index >= 0; index -= 1) {
    const committed = history.items[index];
    const later = history.items[index + 1];
    // Items of one answer are one batch: their seqs adjoin.
    if (committed === undefined || (later !== undefined && committed.seq + 1 !== later.seq)) break;
    const { item } = committed;
    if (item.type !== "assistant_message" && item.type !== "reasoning") break;
    if (item.status === "incomplete") return null;
    found = true;
    if (item.type === "assistant_message") texts.unshift(item.text);
  }
  return found ? texts.join("\n\n") : null;
}
