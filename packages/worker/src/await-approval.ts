/** Step 8 for a call that waits for the user: once it is allowed and nothing is in its way it is on record as started; refused, it has its one result. */
import { messageOf, type ToolResult } from "@yoi/base";
import { errorResult } from "./bound-result.ts";
import { type ApprovedCall, type AskedCall, claimOf } from "./judge-calls.ts";
import type { ApprovalDecision, CallView } from "./loop-points.ts";
import { Cancelled, raced } from "./settle.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** What the user allowed. Null: it was refused, or the signal aborted; then it is open as before. Throws only what a commit threw. */
export async function awaitApproval(
  parts: WorkerParts,
  signal: AbortSignal,
  { call, approval }: AskedCall,
): Promise<ApprovedCall | null> {
  const { view, tool } = call;
  const isAllowed = await allowed(parts, signal, view, "waits for the approval", () =>
    parts.points.approval(view, approval, signal),
  );
  if (!isAllowed) return null;
  // Of now: what it is about may lie elsewhere than when it was asked.
  const claimed = claimOf(tool, view.args);
  if ("claim" in claimed) return { ...call, ...claimed };
  await refuse(parts, errorResult(view, claimed.problem, parts.limits));
  return null;
}

/** Puts it on record as started. False: it was refused, or the signal aborted; then it is open as before. Throws only what a commit threw. */
export async function startAllowed(
  parts: WorkerParts,
  signal: AbortSignal,
  { view }: ApprovedCall,
): Promise<boolean> {
  const recheck = () => parts.points.recheck(view, signal);
  if (!(await allowed(parts, signal, view, "decides about the start", recheck))) return false;
  await parts.history.append([{ kind: "tool_started", call: view.call }]);
  return true;
}

/** False: it was refused and has its result, or the signal aborted. `what` is asked, for the sentence of its failure. */
async function allowed(
  parts: WorkerParts,
  signal: AbortSignal,
  view: CallView,
  what: string,
  ask: () => Promise<ApprovalDecision>,
): Promise<boolean> {
  const decision = await raced(signal, ask).catch((thrown: unknown): ApprovalDecision | null => {
    if (thrown instanceof Cancelled) return null;
    const reason = `refused, because what ${what} of ${view.name} failed: ${messageOf(thrown)}`;
    return { action: "deny", reason, refusal: "denied" };
  });
  if (decision === null || signal.aborted) return false;
  if (decision.action === "allow") return true;
  const { reason, refusal } = decision;
  await refuse(parts, { ...errorResult(view, reason, parts.limits), refusal });
  return false;
}

async function refuse(parts: WorkerParts, result: ToolResult): Promise<void> {
  const { call, name } = result;
  await parts.history.append([{ kind: "tool_result", item: result }]);
  if (result.refusal !== undefined) parts.observe({ type: "denied", call, name, reason: result.summary });
  parts.observe({ type: "tool_end", call, result });
}
