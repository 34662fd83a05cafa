/** The permission gate as a hook: the first that is asked about a tool call. */
import type { CallId } from "@yoi/base";
import type { PreToolCallContext } from "@yoi/feature";
import { nobodyToAsk } from "../hook/nobody.ts";
import type { SafetyAction } from "../hook/registry.ts";
import type { PermissionGate } from "./permission-gate.ts";

/**
 * For the band of host safety, so that no hook of a feature is asked about a call that is refused.
 * @param mayAsk whether the call can wait for a person. Where not, it is refused at once, as one that somebody might have allowed.
 */
export function permissionHook(
  gate: Pick<PermissionGate, "decide">,
  mayAsk: (call: CallId) => boolean = () => false,
): (context: PreToolCallContext) => Promise<SafetyAction> {
  return async ({ callId, toolName: name, arguments: args, readOnly }) => {
    const decision = await gate.decide({ name, args, readOnly });
    switch (decision.action) {
      case "allow":
        return { action: "continue" };
      case "deny":
        return { action: "deny", message: decision.reason, refusal: "denied" };
      case "ask": {
        const { wants } = decision;
        return mayAsk(callId)
          ? { action: "ask", reason: wants }
          : { action: "deny", message: nobodyToAsk(wants), refusal: "asked" };
      }
    }
  };
}
