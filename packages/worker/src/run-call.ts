/** Step 9 for one call: run it, bound what it gives, commit the result as it completes, and tell its observers. */
import { type EntryBody, messageOf, skillItem, type ToolOutput, type ToolResult } from "@yoi/base";
import { boundResult } from "./bound-result.ts";
import { callTitle } from "./call-title.ts";
import { checkedOutput } from "./checked-output.ts";
import type { ApprovedCall } from "./judge-calls.ts";
import type { CallView } from "./loop-points.ts";
import { Cancelled, raced, settledWithin } from "./settle.ts";
import type { WorkerParts } from "./worker-parts.ts";

/** Resolves once the result is on record; `observed` when its observers have answered. */
export interface CommittedCall {
  /** The reason of an observer that wants the run to end, or null. Never rejects. */
  readonly observed: Promise<string | null>;
}

/** Null: the call has no result. Throws only what the commit threw. */
export async function runCall(
  parts: WorkerParts,
  signal: AbortSignal,
  { view, tool }: ApprovedCall,
): Promise<CommittedCall | null> {
  const { call, name, args } = view;
  parts.observe({ type: "tool_start", call, name, title: callTitle(name, args) });
  let over = false;
  const execution = async (): Promise<ToolOutput> => {
    try {
      const output: ToolOutput = await tool.execute(args, {
        call,
        signal,
        progress: (text) => {
          if (!over) parts.observe({ type: "tool_progress", call, text });
        },
      });
      return checkedOutput(view.name, output, parts);
    } catch (thrown) {
      return { summary: messageOf(thrown), is_error: true };
    }
  };
  const settled = await settledWithin(
    signal,
    { timers: parts.timers, ms: parts.limits.cancelGraceMs },
    execution,
  );
  over = true;
  // It ignores the cancel: the call stays open, and is closed as one whose outcome is unknown.
  if (!settled.settled) return null;
  const result = boundResult(view, settled.value, parts.limits);
  const { skill } = settled.value;
  // First what the result says is there: where a crash parts them, the call is closed as one whose outcome is unknown.
  const loaded: readonly EntryBody[] =
    skill === undefined ? [] : [{ kind: "system_item", item: skillItem(skill, "model") }];
  await parts.history.append([...loaded, { kind: "tool_result", item: result }]);
  parts.observe({ type: "tool_end", call, result });
  for (const text of settled.value.alerts ?? []) parts.observe({ type: "warning", text, tool: name });
  return { observed: observe(parts, signal, view, result) };
}

async function observe(
  parts: WorkerParts,
  signal: AbortSignal,
  view: CallView,
  result: ToolResult,
): Promise<string | null> {
  try {
    const decision = await raced(signal, () => parts.points.afterResult(view, result, signal));
    return decision.action === "abort" ? decision.reason : null;
  } catch (thrown) {
    if (!(thrown instanceof Cancelled)) {
      parts.observe({
        type: "warning",
        text: `what observes the result of ${view.name} failed: ${messageOf(thrown)}`,
      });
    }
    return null;
  }
}
