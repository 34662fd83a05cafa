/** Compacting an open Pod because somebody asks for it, and undoing that, while no run of it works. */
import { YoiError } from "@yoi/base";
import type { SessionState } from "@yoi/session-store";
import type { CompactionReport } from "./compact/compaction.ts";
import type { HeldOutcome } from "./compact/compactor.ts";
import { isoTime } from "./discovery/iso-time.ts";
import type { PodParts } from "./open-pod.ts";
import { undoCompaction, type UndoneCompaction } from "./rewind/undo-compaction.ts";
import { rewinderParts } from "./take-back.ts";
import { alreadyRunning } from "./turn/state-sentences.ts";

/**
 * Throws already_running, cancelled (the Pod is closing), compaction_failed where nothing can be gained, calls have no result yet or it was stopped, or what the log
 * throws.
 */
export async function compactNow({ drive, compaction, session }: PodParts): Promise<CompactionReport> {
  if (drive.state === "running") throw new YoiError("already_running", alreadyRunning);
  const ended = await drive.alone((signal) => {
    refuseOpenCalls(session.gate.state);
    return compaction.run({ trigger: "user", signal });
  });
  switch (ended.kind) {
    case "committed":
      return ended.report;
    case "stopped":
      throw new YoiError("compaction_failed", "Compacting was stopped: history is as it was.");
    case "held":
      throw failed(ended.message, untilOf(ended.outcome));
    case "no_progress":
      throw failed(ended.message);
  }
}

/** Their answers and approvals are of the segment that they are in. */
function refuseOpenCalls({ unanswered }: Pick<SessionState, "unanswered">): void {
  const [first] = unanswered;
  if (first === undefined) return;
  const calls = unanswered.length === 1 ? `the call of ${first.name} has` : `${unanswered.length} calls have`;
  throw failed(
    `${calls} no result yet. Answer what waits for you (\`yoi approve\`) and go on with the run (\`yoi pod resume\`), or give it another input`,
  );
}

function untilOf(outcome: HeldOutcome): string {
  return outcome.kind === "paused" && outcome.until !== undefined ? ` Until ${isoTime(outcome.until)}.` : "";
}

/** @param why a sentence, with or without its full stop. */
function failed(why: string, behind = ""): YoiError {
  return new YoiError("compaction_failed", `Nothing was compacted: ${why.replace(/\.$/, "")}.${behind}`);
}

/** Throws already_running, cancelled, and as `undoCompaction`. */
export async function undoCompactionNow(parts: PodParts): Promise<UndoneCompaction> {
  const { drive } = parts;
  if (drive.state === "running") throw new YoiError("already_running", alreadyRunning);
  return drive.alone(() => undoCompaction(rewinderParts(parts)));
}
