/** The permission gate as a hook: the first that is asked about a tool call. */
import type { Refusal } from "@yoi/base";
import type { PreToolCallContext } from "@yoi/feature";
import type { PermissionGate } from "./permission-gate.ts";

/** A deny of the host says what kind of refusal it is: by a rule, or for want of somebody to ask. */
export type PermissionAction =
  | { readonly action: "continue" }
  | { readonly action: "deny"; readonly message: string; readonly refusal: Refusal };

/** For the band of host safety, so that no hook of a feature is asked about a call that is refused. */
export function permissionHook(
  gate: Pick<PermissionGate, "decide">,
): (context: PreToolCallContext) => Promise<PermissionAction> {
  return async ({ toolName: name, arguments: args, readOnly }) => {
    const decision = await gate.decide({ name, args, readOnly });
    return decision.action === "deny"
      ? { action: "deny", message: decision.reason, refusal: decision.refusal }
      : { action: "continue" };
  };
}
