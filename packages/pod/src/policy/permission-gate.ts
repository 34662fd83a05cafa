/** The permission gate: the first judge of every tool call, from the rules and the mode of the manifest. */
import { resolve } from "node:path";
import { type Manifest, matchesPattern, type PermissionRule, targetOf } from "@yoi/manifest";
import type { CallView, GateDecision } from "@yoi/worker";

/** What rules are matched against. The two texts differ where a path leads through a link. */
export interface JudgedTarget {
  /** A path is in normal form, so that `/w/./x` is judged as `/w/x`. */
  readonly named: string;
  readonly real: string;
}

type Verdict = { readonly action: "allow" } | { readonly action: "deny" | "ask"; readonly because: string };

/**
 * Judges one call. Pure: the same rules, mode, call and target give the same verdict. Within one origin the first matching rule counts;
 * between origins the strictest: a deny or an ask of any of them stands.
 */
export function judge(
  permissions: Manifest["permissions"],
  call: Pick<CallView, "name" | "readOnly">,
  target: JudgedTarget,
): Verdict {
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

/** No link leads around a deny or an ask, and none into an allow: that is for what it names really. */
function ruleMatches(rule: PermissionRule, tool: string, { named, real }: JudgedTarget): boolean {
  if (rule.tool !== "*" && rule.tool.toLowerCase() !== tool.toLowerCase()) return false;
  if (matchesPattern(rule.pattern, real)) return true;
  return rule.action !== "allow" && named !== real && matchesPattern(rule.pattern, named);
}

function describeRule(rule: PermissionRule): string {
  return `${rule.action} ${rule.tool}(${rule.pattern}) of ${rule.origin}`;
}

export interface PermissionGateOptions {
  readonly permissions: Manifest["permissions"];
  readonly workspace: string;
  /** The real path of an absolute one; the path itself where the scope refuses to look, as the tool will then. */
  readonly locate: (path: string) => string;
}

/** Keeps nothing: what it refuses is on record with the call's result. */
export class PermissionGate {
  readonly #options: PermissionGateOptions;

  constructor(options: PermissionGateOptions) {
    this.#options = options;
  }

  decide(call: CallView): GateDecision {
    const verdict = judge(this.#options.permissions, call, this.#targetOf(call));
    switch (verdict.action) {
      case "allow":
        return { action: "allow" };
      case "deny":
        return {
          action: "deny",
          reason: `Refused by ${verdict.because}. Nothing was done.`,
          refusal: "denied",
        };
      case "ask":
        return {
          action: "deny",
          reason: `Permission needed: ${verdict.because} wants a person to allow this, and nobody can be asked now. Nothing was done.`,
          refusal: "asked",
        };
    }
  }

  /** The rule that denies Read the file or directory at `path`, for a sentence; null when none does, whatever the mode. */
  denialOfReading(path: string): string | null {
    const { rules } = this.#options.permissions;
    const call = { name: "Read", readOnly: true };
    const verdict = judge({ mode: "allow-in-scope", rules }, call, this.#placeOf(path));
    return verdict.action === "deny" ? verdict.because : null;
  }

  #targetOf(call: CallView): JudgedTarget {
    const { kind, text } = targetOf(call.name, call.args);
    return kind === "text" ? { named: text, real: text } : this.#placeOf(text);
  }

  #placeOf(path: string): JudgedTarget {
    const named = resolve(this.#options.workspace, path);
    return { named, real: this.#options.locate(named) };
  }
}
