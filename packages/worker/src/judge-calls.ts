/** Step 7, second half: every call of a batch is looked up, its arguments read and the gates asked, in call order. Nothing has started yet. */
import {
  type AllowedBy,
  type Claim,
  type JsonObject,
  messageOf,
  type Tool,
  type ToolResult,
  type UnansweredCall,
} from "@yoi/base";
import { errorResult } from "./bound-result.ts";
import type { AskedApproval, CallView, GateDecision } from "./loop-points.ts";
import { parseArguments } from "./parse-arguments.ts";
import { Cancelled, raced } from "./settle.ts";
import type { Run, WorkerParts } from "./worker-parts.ts";

export interface ApprovedCall {
  readonly view: CallView;
  readonly tool: Tool;
  /** Calls whose claims conflict run one after the other. */
  readonly claim: Claim | null;
}

/** It waits for the user, and is approved then or never. */
export interface AskedCall {
  readonly call: ApprovedCall;
  readonly approval: AskedApproval;
}

export type JudgedCall =
  | { readonly approved: ApprovedCall; readonly by: readonly AllowedBy[] }
  | { readonly asked: AskedCall }
  | { readonly refused: ToolResult; readonly denial: string | null };

export type Judgement =
  | { readonly kind: "go"; readonly calls: readonly JudgedCall[] }
  | { readonly kind: "pause"; readonly reason: string }
  | { readonly kind: "abort"; readonly reason: string };

export async function judgeCalls(
  parts: WorkerParts,
  run: Run,
  calls: readonly UnansweredCall[],
): Promise<Judgement> {
  const judged: JudgedCall[] = [];
  for (const call of calls) {
    const refuse = (message: string) =>
      judged.push({ refused: errorResult(call, message, parts.limits), denial: null });
    const tool = parts.tools.get(call.name);
    if (tool === null) {
      refuse(unknownTool(parts, call.name));
      continue;
    }
    const parsed = parseArguments(call.name, call.arguments);
    if ("problem" in parsed) {
      refuse(parsed.problem);
      continue;
    }
    const { args } = parsed;
    const view: CallView = { call: call.call, name: call.name, args, readOnly: tool.readOnly };
    const decision = await askGate(parts, run, view);
    switch (decision.action) {
      case "allow":
      case "ask": {
        const claimed = claimOf(tool, args);
        if ("problem" in claimed) {
          refuse(claimed.problem);
          break;
        }
        const approved = { view, tool, claim: claimed.claim };
        judged.push(
          decision.action === "allow"
            ? { approved, by: decision.by ?? [] }
            : { asked: { call: approved, approval: decision.approval } },
        );
        break;
      }
      case "deny":
        judged.push({
          refused: { ...errorResult(call, decision.reason, parts.limits), refusal: decision.refusal },
          denial: decision.reason,
        });
        break;
      case "pause":
        return { kind: "pause", reason: decision.reason };
      case "abort":
        return { kind: "abort", reason: decision.reason };
    }
  }
  return { kind: "go", calls: judged };
}

async function askGate(parts: WorkerParts, run: Run, view: CallView): Promise<GateDecision> {
  try {
    return await raced(run.signal, () => parts.points.gate(view, run.signal));
  } catch (thrown) {
    if (thrown instanceof Cancelled) throw thrown;
    return {
      action: "deny",
      reason: `refused, because what decides about ${view.name} failed: ${messageOf(thrown)}`,
      refusal: "denied",
    };
  }
}

export function claimOf(
  tool: Tool,
  args: JsonObject,
): { readonly claim: Claim | null } | { readonly problem: string } {
  try {
    return { claim: tool.claim?.(args) ?? null };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

function unknownTool(parts: WorkerParts, name: string): string {
  const names = parts.tools.definitions.map((tool) => tool.name).join(", ");
  return `there is no tool named ${JSON.stringify(name)}; the tools are: ${names === "" ? "none" : names}`;
}
