/** Step 8 for a call that waits for the user: once allowed it is on record as started; refused, it has its one result. */
import { messageOf, type ToolResult } from "@yoi/base";
import { errorResult } from "./bound-result.ts";
import { type ApprovedCall, type AskedCall, claimOf } from "./judge-calls.ts";
import type { ApprovalDecision } from "./loop-points.ts";
import { Cancelled, raced } from "./settle.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Null: it was refused, or the signal aborted; then it is open as before. Throws only what a commit threw. */
export async function awaitApproval(
  parts: WorkerParts,
  signal: AbortSignal,
  asked: AskedCall,
): Promise<ApprovedCall | null> {
  const { call, name, args } = asked.call.view;
  const refuse = async (result: ToolResult) => {
    await parts.history.append([{ kind: "tool_result", item: result }]);
    if (result.refusal !== undefined) parts.observe({ type: "denied", call, name, reason: result.summary });
    parts.observe({ type: "tool_end", call, result });
  };
  const decision = await decided(parts, signal, asked);
  if (decision === null || signal.aborted) return null;
  switch (decision.action) {
    case "allow": {
      // Of now: what it is about may lie elsewhere than when it was asked.
      const claimed = claimOf(asked.call.tool, args);
      if ("problem" in claimed) {
        await refuse(errorResult({ call, name }, claimed.problem, parts.limits));
        return null;
      }
      await parts.history.append([{ kind: "tool_started", call }]);
      return { ...asked.call, ...claimed };
    }
    case "deny": {
      const { reason, refusal } = decision;
      await refuse({ ...errorResult({ call, name }, reason, parts.limits), refusal });
      return null;
    }
  }
}

async function decided(
  { points }: WorkerParts,
  signal: AbortSignal,
  { call: { view }, approval }: AskedCall,
): Promise<ApprovalDecision | null> {
  try {
    return await raced(signal, () => points.approval(view, approval, signal));
  } catch (thrown) {
    if (thrown instanceof Cancelled) return null;
    const reason = `refused, because what waits for the approval of ${view.name} failed: ${messageOf(thrown)}`;
    return { action: "deny", reason, refusal: "denied" };
  }
}
