/** Compacting an open Pod because somebody asks for it, and undoing that, while no run of it works. */
import { YoiError } from "@yoi/base";
import type { CompactionReport } from "./compact/compaction.ts";
import type { PodParts } from "./open-pod.ts";
import { undoCompaction, type UndoneCompaction } from "./rewind/undo-compaction.ts";
import { rewinderParts } from "./take-back.ts";
import { alreadyRunning } from "./turn/state-sentences.ts";

/** Throws already_running, cancelled, compaction_failed where nothing can be gained, or what the log throws. */
export async function compactNow({ drive, compaction }: PodParts): Promise<CompactionReport> {
  if (drive.state === "running") throw new YoiError("already_running", alreadyRunning);
  const ended = await drive.alone((signal) => compaction.run({ trigger: "user", signal }));
  switch (ended.kind) {
    case "committed":
      return ended.report;
    case "stopped":
      throw new YoiError("cancelled", "Compacting was stopped: history is as it was.");
    case "held":
    case "no_progress":
      throw new YoiError("compaction_failed", `Nothing was compacted: ${ended.message.replace(/\.$/, "")}.`);
  }
}

/** Throws already_running, cancelled, and as `undoCompaction`. */
export async function undoCompactionNow(parts: PodParts): Promise<UndoneCompaction> {
  const { drive } = parts;
  if (drive.state === "running") throw new YoiError("already_running", alreadyRunning);
  return drive.alone(() => undoCompaction(rewinderParts(parts)));
}
