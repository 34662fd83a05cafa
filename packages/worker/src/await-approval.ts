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
  const decision = await allowed(parts, signal, view, "waits for the approval", () =>
    parts.points.approval(view, approval, signal),
  );
  if (decision === null) return null;
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
  const decision = await allowed(parts, signal, view, "decides about the start", recheck);
  if (decision === null) return false;
  const { by = [] } = decision;
  await parts.history.append([
    { kind: "tool_started", call: view.call, ...(by.length === 0 ? {} : { allowed_by: by }) },
  ]);
  return true;
}

/** Null: it was refused and has its result, or the signal aborted. `what` is asked, for the sentence of its failure. */
async function allowed(
  parts: WorkerParts,
  signal: AbortSignal,
  view: CallView,
  what: string,
  ask: () => Promise<ApprovalDecision>,
): Promise<Extract<ApprovalDecision, { readonly action: "allow" }> | null> {
  const decision = await raced(signal, ask).catch((thrown: unknown): ApprovalDecision | null => {
    if (thrown instanceof Cancelled) return null;
    const reason = `refused, because what ${what} of ${view.name} failed: ${messageOf(thrown)}`;
    return { action: "deny", reason, refusal: "denied" };
  });
  if (decision === null || signal.aborted) return null;
  if (decision.action === "allow") return decision;
  const { reason, refusal } = decision;
  await refuse(parts, { ...errorResult(view, reason, parts.limits), refusal });
  return null;
}

async function refuse(parts: WorkerParts, result: ToolResult): Promise<void> {
  const { call, name } = result;
  await parts.history.append([{ kind: "tool_result", item: result }]);
  if (result.refusal !== undefined) parts.observe({ type: "denied", call, name, reason: result.summary });
  parts.observe({ type: "tool_end", call, result });
}
