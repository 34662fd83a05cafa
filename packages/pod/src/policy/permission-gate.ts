/** The permission gate: the first judge of every tool call, from the rules and the mode of the manifest. */
import { resolve } from "node:path";
import type { CallId, JsonObject } from "@yoi/base";
import { type Manifest, matchesPattern, type PermissionRule, targetOf } from "@yoi/manifest";
import type { CallView, GateDecision } from "@yoi/worker";

/** A call that needed a permission which nobody could give; listed in the result of a run. */
export interface PermissionDenial {
  readonly call: CallId;
  readonly tool: string;
  readonly target: string;
  readonly reason: string;
  /** `asked`: somebody might have allowed it. `denied`: a rule or the mode refuses it. */
  readonly kind: "asked" | "denied";
}

type Verdict = { readonly action: "allow" } | { readonly action: "deny" | "ask"; readonly because: string };

/**
 * Judges one call. Pure: the same rules, mode and call give the same verdict. Within one origin the first matching rule counts;
 * between origins the strictest: a deny or an ask of any of them stands.
 */
export function judge(permissions: Manifest["permissions"], call: CallView, target: string): Verdict {
  const firstByOrigin = new Map<string, PermissionRule>();
  for (const rule of permissions.rules) {
    if (!firstByOrigin.has(rule.origin) && ruleMatches(rule, call.name, target))
      firstByOrigin.set(rule.origin, rule);
  }
  const matching = [...firstByOrigin.values()];
  for (const action of ["deny", "ask"] as const) {
    const rule = matching.find((candidate) => candidate.action === action);
    if (rule !== undefined) return { action, because: `the rule ${describeRule(rule)}` };
  }
  if (matching.length > 0) return { action: "allow" };
  switch (permissions.mode) {
    case "allow-in-scope":
      return { action: "allow" };
    case "ask":
      return call.readOnly ? { action: "allow" } : { action: "ask", because: "the permission mode ask" };
    case "deny-unlisted":
      return {
        action: "deny",
        because: "the permission mode deny-unlisted, which refuses what no rule allows",
      };
  }
}

function ruleMatches(rule: PermissionRule, tool: string, target: string): boolean {
  const named = rule.tool === "*" || rule.tool.toLowerCase() === tool.toLowerCase();
  return named && matchesPattern(rule.pattern, target);
}

function describeRule(rule: PermissionRule): string {
  return `${rule.action} ${rule.tool}(${rule.pattern}) of ${rule.origin}`;
}

/** Path arguments are compared in normal form, so that `/w/./x` is judged as `/w/x`. */
function judgedTarget(args: JsonObject, workspace: string): string {
  for (const key of ["file_path", "path"] as const) {
    const path = args[key];
    if (typeof path === "string" && typeof args["command"] !== "string") return resolve(workspace, path);
  }
  return targetOf(args);
}

/** The gate of one run: keeps what it refused, for the run's result. */
export class PermissionGate {
  readonly #permissions: Manifest["permissions"];
  readonly #workspace: string;
  readonly #denials: PermissionDenial[] = [];

  constructor(permissions: Manifest["permissions"], workspace: string) {
    this.#permissions = permissions;
    this.#workspace = workspace;
  }

  get denials(): readonly PermissionDenial[] {
    return this.#denials;
  }

  decide(call: CallView): GateDecision {
    const target = judgedTarget(call.args, this.#workspace);
    const verdict = judge(this.#permissions, call, target);
    if (verdict.action === "allow") return { action: "allow" };
    const reason =
      verdict.action === "deny"
        ? `Refused by ${verdict.because}. Nothing was done.`
        : `Permission needed: ${verdict.because} wants a person to allow this, and nobody can be asked now. Nothing was done.`;
    this.#denials.push({
      call: call.call,
      tool: call.name,
      target,
      reason,
      kind: verdict.action === "ask" ? "asked" : "denied",
    });
    return { action: "deny", reason };
  }
}
