/** Steps 1 to 4: what waits enters history, what is old is pruned, and thresholds and pre-request hooks decide whether a request is made. */
import { messageOf } from "@yoi/base";
import type { ContextSize, PreRequestDecision } from "./loop-points.ts";
import type { RunOutcome } from "./outcome.ts";
import { pruneWhereDue } from "./prune.ts";
import { Cancelled, raced, throwIfCancelled, told } from "./settle.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

/** The outcome that stands instead of a request, or null: make it. */
export async function prepare(parts: WorkerParts, run: Run): Promise<RunOutcome | null> {
  const { history, points, estimate } = parts;
  const isFirst = run.turns === 0 && run.continuations === 0;
  await commitDrained(parts, run);
  await points.deliver(run.signal);
  throwIfCancelled(run.signal);
  const committed = await pruneWhereDue(parts, run, isFirst);
  const over = points.threshold(committed, "committed", isFirst);
  if (over !== null) return { kind: "yielded", reason: over, by: { kind: "threshold" } };

  const decision = await preRequest(parts, run, committed);
  // Between the last answer and here the run may have been cancelled: what hooks queued is then dropped.
  throwIfCancelled(run.signal);
  switch (decision.action) {
    case "yield":
      return { kind: "yielded", reason: decision.reason, by: { kind: "hook" } };
    case "cancel":
      return { kind: "aborted", reason: decision.reason };
    case "continue":
      break;
  }
  const { queued } = decision;
  const overWithQueued = points.threshold(estimate.of(history, queued), "effective", isFirst);
  if (queued.length > 0) {
    await history.append(queued.map((item) => ({ kind: "system_item", item })));
    told(() => points.queuedCommitted(queued));
    throwIfCancelled(run.signal);
  }
  return overWithQueued === null
    ? null
    : { kind: "yielded", reason: overWithQueued, by: { kind: "threshold" } };
}

async function commitDrained({ history, points }: WorkerParts, run: Run): Promise<void> {
  const drained = await raced(run.signal, () => points.drain());
  if (drained.length === 0) return;
  await history.append(drained);
  throwIfCancelled(run.signal);
}

/** A hook point that throws ends the run: nobody can say whether it would have let the request go. */
async function preRequest(parts: WorkerParts, run: Run, size: ContextSize): Promise<PreRequestDecision> {
  try {
    return await raced(run.signal, () =>
      parts.points.preRequest({ ...size, turn: run.turns, toolCallsThisRun: run.toolCalls }, run.signal),
    );
  } catch (thrown) {
    if (thrown instanceof Cancelled) throw thrown;
    return { action: "cancel", reason: `a pre-request hook failed: ${messageOf(thrown)}` };
  }
}
