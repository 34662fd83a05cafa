/** Rules over commands and what a gate makes of them, for the tests of this folder. */
import type { PermissionAction, PermissionMode, PermissionRule } from "@yoi/manifest";
import { PermissionGate } from "../../src/policy/permission-gate.ts";
import { nobodyToAsk } from "../../src/hook/nobody.ts";

export const userFile = "/home/u/config.toml";

function bashRule(action: PermissionAction): (pattern: string, origin?: string) => PermissionRule {
  return (pattern, origin = userFile) => ({ tool: "Bash", pattern, action, origin });
}
export const allow = bashRule("allow");
export const deny = bashRule("deny");
export const ask = bashRule("ask");

export async function bashVerdict(
  rules: readonly PermissionRule[],
  command: string,
  mode: PermissionMode = "allow-in-scope",
): Promise<{ readonly action: "allow" | "deny" | "ask"; readonly reason: string }> {
  const gate = new PermissionGate({ permissions: { mode, rules }, workspace: "/w", locate: (path) => path });
  const decision = await gate.decide({
    name: "Bash",
    args: { command },
    readOnly: false,
  });
  switch (decision.action) {
    case "allow":
      return { action: "allow", reason: "" };
    case "deny":
      return decision;
    case "ask":
      return { action: "ask", reason: nobodyToAsk(decision.wants) };
  }
}
