/** Steps 8 and 9: the calls of one answer. Started on record in one batch, run in parallel, each result committed as it completes. */
import type { EntryBody, ToolResultEntry, UnansweredCall } from "@yoi/base";
import { closingResult } from "./closing.ts";
import { type JudgedCall, judgeCalls } from "./judge-calls.ts";
import { runInLanes } from "./lanes.ts";
import type { RunOutcome } from "./outcome.ts";
import { runCall } from "./run-call.ts";
import { Cancelled, linkedController } from "./settle.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

/** The outcome that ends the run here, or null: every call has its result. Throws Cancelled, and what a commit threw. */
export async function runToolBatch(
  parts: WorkerParts,
  run: Run,
  calls: readonly UnansweredCall[],
): Promise<RunOutcome | null> {
  if (calls.length === 0) return null;
  run.toolCalls += calls.length;
  const judgement = await judgeCalls(parts, run, calls);
  switch (judgement.kind) {
    case "pause":
      return { kind: "paused", reason: "hook", detail: judgement.reason };
    case "abort":
      await commitResults(parts, calls.map(closingResult));
      return { kind: "aborted", reason: judgement.reason };
    case "go":
      break;
  }
  await commitStart(parts, judgement.calls);
  const reason = await runApproved(parts, run, judgement.calls);
  return reason === null ? null : { kind: "aborted", reason };
}

/** Appends error results for calls that will not run (again). */
async function commitResults(parts: WorkerParts, results: readonly ToolResultEntry[]): Promise<void> {
  if (results.length === 0) return;
  await parts.history.append(results);
  for (const { item } of results) parts.observe({ type: "tool_end", call: item.call, result: item });
}

async function commitStart(parts: WorkerParts, judged: readonly JudgedCall[]): Promise<void> {
  const bodies: EntryBody[] = judged.map((one) =>
    "refused" in one
      ? { kind: "tool_result", item: one.refused }
      : { kind: "tool_started", call: one.approved.view.call },
  );
  await parts.history.append(bodies);
  for (const one of judged) {
    if (!("refused" in one)) continue;
    const { call, name } = one.refused;
    if (one.denial !== null) parts.observe({ type: "denied", call, name, reason: one.denial });
    parts.observe({ type: "tool_end", call, result: one.refused });
  }
}

/** Why an observer ended the run, or null. */
async function runApproved(
  parts: WorkerParts,
  run: Run,
  judged: readonly JudgedCall[],
): Promise<string | null> {
  // A result that cannot be committed ends the other calls too: nothing goes on that nobody could record.
  const { controller, unlink } = linkedController(run.signal);
  const reasons: string[] = [];
  // Observers hold up no call: the path that a call claimed is free when its result is on record.
  const observing: Promise<void>[] = [];
  const heard = (reason: string | null): void => void (reason !== null && reasons.push(reason));
  const jobs = judged.flatMap((one) => {
    if (!("approved" in one)) return [];
    const { view, claim } = one.approved;
    const job = async () => {
      try {
        const committed = await runCall(parts, controller.signal, one.approved);
        if (committed !== null) observing.push(committed.observed.then(heard));
      } catch (error) {
        controller.abort();
        throw error;
      }
    };
    return [{ claim, call: { ...view, arguments: "", started: false }, run: job }];
  });
  try {
    const never = await runInLanes(jobs, {
      parallelMax: parts.limits.parallelCallsMax,
      stopped: () => controller.signal.aborted,
    });
    // On record as started, but this process knows that they never began.
    await commitResults(
      parts,
      never.map(({ call }) => closingResult(call)),
    );
  } finally {
    await Promise.all(observing);
    unlink();
  }
  if (run.signal.aborted) throw new Cancelled();
  return reasons[0] ?? null;
}
