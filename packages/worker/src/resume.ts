/** The start of a resumed run: the same turn goes on from where the log ends. */
import type { Item } from "@yoi/base";
import { endsInWholeAnswer, resumingEntries } from "./closing.ts";
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
  return endsInWholeAnswer(history) ? endTurn(parts, run, finalText(history)) : null;
}

/** The text of the answer that history ends with. */
function finalText(history: History): string {
  const texts: string[] = [];
  let seq = history.items.at(-1)?.seq ?? 0;
  for (const committed of history.items.toReversed()) {
    // Items of one answer are one batch: their seqs adjoin.
    if (committed.seq < seq - 1 || !isAnswer(committed.item)) break;
    seq = committed.seq;
    if (committed.item.type === "assistant_message") texts.unshift(committed.item.text);
  }
  return texts.join("\n\n");
}

function isAnswer(item: Item): boolean {
  return item.type === "assistant_message" || item.type === "reasoning";
}
