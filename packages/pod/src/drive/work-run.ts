/** How a run goes: from what is on record of it to its closing record. Who may run, and what follows, is for drive to say. */
import type { RunOptions, RunOutcome } from "@yoi/worker";
import type { CompactionEnd } from "../compact/compaction.ts";
import { type AcceptedRun, hasUnfinishedTurn, resumed } from "../turn/accept-input.ts";
import { closingRecord } from "../turn/close-run.ts";
import type { DriveParts } from "./drive-parts.ts";
import { RoomOfRun } from "./make-room.ts";
import { rolledBack, takesBack } from "./roll-back.ts";
import type { RunAccount } from "./run-report.ts";
import type { Running } from "./running.ts";

type WorkParts = Pick<DriveParts, "gate" | "worker" | "maxTurns" | "room">;

/** Throws what the log throws. */
export async function workRun(
  parts: WorkParts,
  accepted: AcceptedRun,
  running: Running,
  account: RunAccount,
): Promise<RunOutcome> {
  const { gate } = parts;
  const room = new RoomOfRun(parts.room ?? null);
  const turnsAtFirst = gate.turnCount;
  for (let next = accepted; ; next = await resumed(gate, "pod")) {
    const maxTurns = account.turnsLeft(parts.maxTurns);
    const turns = { maxTurns, turnsBefore: gate.turnCount - turnsAtFirst };
    const outcome = ofAllTurns(await worked(parts, next, running, turns), parts.maxTurns);
    const wish = room.wishFor(outcome, gate.state);
    if (wish === null) {
      const last = room.without(outcome, null);
      await gate.append([closingRecord(last)]);
      account.end(last);
      return last;
    }
    // A crash from here on leaves a run that can be resumed, in the old segment or in the new one.
    await gate.append([closingRecord(outcome)]);
    const made = await room.run({ ...wish, signal: running.signal });
    if (made.kind === "committed") continue;
    const last = withoutRoom(made, outcome, running, room);
    if (last.kind !== "yielded")
      await gate.append([{ kind: "invoke", trigger: "resume", by: "pod" }, closingRecord(last)]);
    account.end(last);
    return last;
  }
}

/** What a run comes to that no room was made for. */
function withoutRoom(
  made: Exclude<CompactionEnd, { readonly kind: "committed" }>,
  outcome: RunOutcome,
  running: Running,
  room: RoomOfRun,
): RunOutcome {
  switch (made.kind) {
    case "stopped":
      return running.asStopped({ kind: "cancelled" });
    case "held":
      return made.outcome;
    case "no_progress":
      return room.without(outcome, `compacting came to nothing: ${made.message}`);
  }
}

async function worked(
  { gate, worker }: WorkParts,
  { mode, invoke, isInput }: AcceptedRun,
  running: Running,
  turns: Pick<RunOptions, "maxTurns" | "turnsBefore">,
): Promise<RunOutcome> {
  const leavesOpen = () => running.isResumable;
  const ended = await worker.run({ mode, signal: running.signal, ...turns, leavesOpen });
  if (ended.kind === "cancelled" && isInput && takesBack(running.stop))
    return rolledBack(gate.state, invoke) ?? running.asStopped(ended);
  const hasDelivered = (gate.items.at(-1)?.seq ?? -1) > invoke;
  // What was to be told waits as before: of this run there is nothing to go on with.
  if (ended.kind === "cancelled" && running.stop?.by !== "time" && mode === "new" && !hasDelivered)
    return ended;
  const isWhole = !hasUnfinishedTurn(gate) && (mode === "resume" || hasDelivered);
  if (ended.kind !== "cancelled" || running.stop?.by !== "time" || !isWhole) return running.asStopped(ended);
  running.goLate();
  // The whole answer was on record when the time was up: only the end of its turn is left to do.
  const { signal } = running;
  return running.asStopped(await worker.run({ mode: "resume", signal, ...turns, leavesOpen }));
}

/** A run that follows another one has what that left of the turns; what was reached is the limit of both. */
function ofAllTurns(outcome: RunOutcome, max: number | null): RunOutcome {
  return outcome.kind === "limit_reached" && outcome.limit === "turns" && max !== null
    ? { ...outcome, max }
    : outcome;
}
