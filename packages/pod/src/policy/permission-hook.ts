/** The permission gate as a hook: the first that is asked about a tool call. */
import type { CallId } from "@yoi/base";
import type { PreToolCallContext } from "@yoi/feature";
import { nobodyToAsk } from "../hook/nobody.ts";
import type { SafetyAction } from "../hook/registry.ts";
import type { GatedCall, PermissionGate } from "./permission-gate.ts";

/** Whom the user is asked for, beside the rules. */
export interface AskingHook {
  /** Whether the call can wait for a person, or need not. Where neither, it is refused at once, as one that somebody might have allowed. */
  mayAsk(id: CallId, call: GatedCall): Promise<boolean>;
  /** What it needs beyond the scope: the rest of a sentence that says so, or why nobody is asked; null: nothing. */
  leaving(
    call: GatedCall,
  ): Promise<
    | { readonly kind: "ask"; readonly wants: string }
    | { readonly kind: "refused"; readonly reason: string }
    | null
  >;
}

/** Nobody is asked about anything. */
const nobodyAsked: AskingHook = { mayAsk: async () => false, leaving: async () => null };

/** For the band of host safety, so that no hook of a feature is asked about a call that is refused. */
export function permissionHook(
  gate: Pick<PermissionGate, "decide">,
  asking: AskingHook = nobodyAsked,
): (context: PreToolCallContext) => Promise<SafetyAction> {
  return async ({ callId, toolName: name, arguments: args, readOnly }) => {
    const call = { name, args, readOnly };
    const decision = await gate.decide(call);
    if (decision.action === "deny") return { action: "deny", message: decision.reason, refusal: "denied" };
    const wants = decision.action === "ask" ? decision.wants : null;
    if (wants !== null && !(await asking.mayAsk(callId, call)))
      return { action: "deny", message: nobodyToAsk(wants), refusal: "asked" };
    const leaving = await asking.leaving(call);
    if (leaving?.kind === "refused") return { action: "deny", message: leaving.reason, refusal: "denied" };
    const reasons = [wants, leaving?.wants ?? null].filter((reason) => reason !== null);
    return reasons.length === 0 ? { action: "continue" } : { action: "ask", reason: reasons.join(", and ") };
  };
}
