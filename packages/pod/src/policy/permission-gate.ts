/** The permission gate: the first judge of every tool call, from the rules and the mode of the manifest. */
import { resolve } from "node:path";
import { type Manifest, matchesPattern, type PermissionRule, targetOf } from "@yoi/manifest";
import type { CallView, GateDecision } from "@yoi/worker";
import { plainUrl } from "./plain-url.ts";

/** What rules are matched against. The two texts differ where a path leads through a link, or a URL can be written in another way. */
export interface JudgedTarget {
  /** A path is in normal form, so that `/w/./x` is judged as `/w/x`; a URL is as it was written. */
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
    const verdict = this.#byRules("Read", this.#placeOf(path));
    return verdict.action === "deny" ? verdict.because : null;
  }

  /** What refuses WebFetch a URL that a page redirects to, for a sentence; null when nothing does. */
  refusalOfFetching(url: string): string | null {
    const call = { name: "WebFetch", readOnly: false };
    const verdict = judge(this.#options.permissions, call, urlTarget(url));
    return verdict.action === "allow" ? null : verdict.because;
  }

  /**
   * Whether a tool that was let into a directory may show what is in a file there: not where a rule denies it or Read that file, or asks for a
   * person, who is not there for each of many files. `path` is absolute and real; the mode does not count, the call was judged by it.
   */
  mayShow(tool: string, path: string): boolean {
    if (this.#options.permissions.rules.every(({ action }) => action === "allow")) return true;
    const target = { named: path, real: path };
    return [tool, "Read"].every((name) => this.#byRules(name, target).action === "allow");
  }

  #byRules(name: string, target: JudgedTarget): Verdict {
    const { rules } = this.#options.permissions;
    return judge({ mode: "allow-in-scope", rules }, { name, readOnly: true }, target);
  }

  #targetOf(call: CallView): JudgedTarget {
    const { kind, text } = targetOf(call.name, call.args);
    switch (kind) {
      case "text":
        return { named: text, real: text };
      case "path":
        return this.#placeOf(text);
      case "url":
        return urlTarget(text);
    }
  }

  #placeOf(path: string): JudgedTarget {
    const named = resolve(this.#options.workspace, path);
    return { named, real: this.#options.locate(named) };
  }
}

function urlTarget(url: string): JudgedTarget {
  return { named: url, real: plainUrl(url) };
}
