/** The start of a resumed run: the same turn goes on from where the log ends. */
import type { CommittedItem } from "@yoi/base";
import { endsInWholeAnswer, resumingEntries } from "./closing.ts";
import type { RunOutcome } from "./outcome.ts";
import { runToolBatch } from "./tool-batch.ts";
import { endTurn } from "./turn.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

/** Started calls are closed as unknown, the others are judged again and run. Null: the loop goes on. */
export async function goOnWithOpenTurn(parts: WorkerParts, run: Run): Promise<RunOutcome | null> {
  const { history } = parts;
  const bodies = resumingEntries(history);
  if (bodies.length > 0) await history.append(bodies);
  run.keptText = openText(history.items);
  if (history.unanswered.length > 0) return runToolBatch(parts, run, [...history.unanswered]);
  return endsInWholeAnswer(history) ? endTurn(parts, run, run.keptText) : null;
}

/**
 * The text of the answer that history ends in: of the broken ones at the end and of what went on from them, one after the other, as a run that lived
 * through them puts it together. Empty where the last thing is the user's or a tool's.
 */
function openText(items: readonly CommittedItem[]): string {
  let whole = "";
  let answer: string[] = [];
  let isCut = true;
  for (const { item } of items.toReversed()) {
    switch (item.type) {
      case "assistant_message":
        // Whole, and something followed: the turn that it ended is over.
        if (!isCut) return whole;
        answer.unshift(item.text);
        break;
      case "reasoning":
        break;
      case "system_item":
        whole = answer.join("\n\n") + whole;
        answer = [];
        isCut = item.kind === "interrupt";
        break;
      case "user_message":
      case "tool_call":
      case "tool_result":
        return answer.join("\n\n") + whole;
    }
  }
  return answer.join("\n\n") + whole;
}
