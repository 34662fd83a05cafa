/** Steps 8 and 9: the calls of one answer. Started on record in one batch, run in parallel, each result committed as it completes. */
import type { EntryBody, ToolResultEntry, UnansweredCall } from "@yoi/base";
import { awaitApproval, startAllowed } from "./await-approval.ts";
import { closingResult } from "./closing.ts";
import { type ApprovedCall, type JudgedCall, judgeCalls } from "./judge-calls.ts";
import { runInLanes } from "./lanes.ts";
import type { RunOutcome } from "./outcome.ts";
import { runCall } from "./run-call.ts";
import { Cancelled, linkedController, throwIfCancelled } from "./settle.ts";
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
  // A stop that came meanwhile finds every call as it was: none is on record as started and then not run.
  throwIfCancelled(run.signal);
  await commitStart(parts, judgement.calls);
  const reason = await runCalls(parts, run, judgement.calls);
  return reason === null ? null : { kind: "aborted", reason };
}

/** Appends error results for calls that will not run (again). */
async function commitResults(parts: WorkerParts, results: readonly ToolResultEntry[]): Promise<void> {
  if (results.length === 0) return;
  await parts.history.append(results);
  for (const { item } of results) parts.observe({ type: "tool_end", call: item.call, result: item });
}

/** One batch: the start of every call that was let through, what is asked about others, and the result of each refused one. */
async function commitStart(parts: WorkerParts, judged: readonly JudgedCall[]): Promise<void> {
  const bodies = judged.flatMap((one) => startOf(parts, one));
  // A resumed run may have nothing but calls that were asked about before.
  if (bodies.length > 0) await parts.history.append(bodies);
  for (const one of judged) {
    if (!("refused" in one)) continue;
    const { call, name } = one.refused;
    if (one.denial !== null) parts.observe({ type: "denied", call, name, reason: one.denial });
    parts.observe({ type: "tool_end", call, result: one.refused });
  }
}

function startOf({ history }: WorkerParts, judged: JudgedCall): readonly EntryBody[] {
  if ("refused" in judged) return [{ kind: "tool_result", item: judged.refused }];
  if ("approved" in judged) {
    const { approved, by } = judged;
    return [
      { kind: "tool_started", call: approved.view.call, ...(by.length === 0 ? {} : { allowed_by: by }) },
    ];
  }
  const { approval } = judged.asked;
  const { call } = judged.asked.call.view;
  const isOnRecord = history.approvals.some((one) => one.call === call && one.digest === approval.digest);
  return isOnRecord ? [] : [{ kind: "approval_asked", call, ...approval }];
}

/** Runs what was let through, and what the user lets through meanwhile. Why an observer ended the run, or null. */
async function runCalls(parts: WorkerParts, run: Run, judged: readonly JudgedCall[]): Promise<string | null> {
  // A result that cannot be committed ends the other calls too: nothing goes on that nobody could record.
  const { controller, unlink } = linkedController(run.signal);
  // An observer that ends the run lets started calls end, and nobody waits any more for those that are not.
  const waiting = linkedController(controller.signal);
  const reasons: string[] = [];
  // Observers hold up no call: the path that a call claimed is free when its result is on record.
  const observing: Promise<void>[] = [];
  const heard = (reason: string | null): void => {
    if (reason === null) return;
    reasons.push(reason);
    waiting.controller.abort();
  };
  const orEnd = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      controller.abort();
      throw error;
    }
  };
  const executed = async (call: ApprovedCall): Promise<void> => {
    const committed = await runCall(parts, controller.signal, call);
    if (committed !== null) observing.push(committed.observed.then(heard));
  };
  const started = async (call: ApprovedCall): Promise<void> => {
    if (!(await startAllowed(parts, waiting.controller.signal, call))) return;
    await (controller.signal.aborted ? commitResults(parts, [neverBegan(call)]) : executed(call));
  };
  /** `isStarted`: on record. What was asked about is put there when nothing is in its way any more: until then it stays open. */
  const jobOf = (call: ApprovedCall, isStarted: boolean) => ({
    claim: call.claim,
    call,
    isStarted,
    run: () => orEnd(isStarted ? executed(call) : started(call)),
  });
  const later = judged.flatMap((one) =>
    "asked" in one
      ? orEnd(awaitApproval(parts, waiting.controller.signal, one.asked)).then(
          (call) => call && jobOf(call, false),
        )
      : [],
  );
  try {
    const never = await runInLanes(
      judged.flatMap((one) => ("approved" in one ? jobOf(one.approved, true) : [])),
      { later, parallelMax: parts.limits.parallelCallsMax, stopped: () => controller.signal.aborted },
    );
    await commitResults(
      parts,
      never.flatMap(({ call, isStarted }) => (isStarted ? neverBegan(call) : [])),
    );
  } finally {
    await Promise.all(observing);
    waiting.unlink();
    unlink();
  }
  if (run.signal.aborted) throw new Cancelled();
  const [reason = null] = reasons;
  if (reason !== null) await commitResults(parts, parts.history.unanswered.map(closingResult));
  return reason;
}

/** On record as started, but this process knows that it never began. */
function neverBegan({ view: { call, name } }: ApprovedCall): ToolResultEntry {
  return closingResult({ call, name, arguments: "", started: false });
}
