/** Making rules and scopes that are well-formed. */
import type { Scope, ScopePermission, ScopeRule } from "@yoi/base";
import { YoiError } from "@yoi/base";
import { joinComponents, pathComponents, pathProblem, quotePath } from "./path.ts";

/** Most rules in one scope: loans add denies, and every check reads all of them. */
export const scopeRulesMax = 1024;

/** A checked rule with a normalised target; recursive unless said. Throws `config_invalid`. Links in the target are the caller's to resolve. */
export function scopeRule(
  target: string,
  permission: ScopePermission,
  options: { recursive?: boolean } = {},
): ScopeRule {
  const problem = pathProblem(target);
  if (problem !== null)
    throw new YoiError("config_invalid", `The scope rule's target ${quotePath(target)} ${problem}.`);
  return { target: joinComponents(pathComponents(target)), permission, recursive: options.recursive ?? true };
}

/** Checks a scope that came from outside, rule by rule, and hands back a normalised copy. Throws `config_invalid`. */
export function checkScope(scope: Scope): Scope {
  const count = scope.allow.length + scope.deny.length;
  if (count > scopeRulesMax) {
    throw new YoiError(
      "config_invalid",
      `The scope has ${count} rules; the most it can have is ${scopeRulesMax}.`,
    );
  }
  const checked = (rule: ScopeRule) => scopeRule(rule.target, rule.permission, { recursive: rule.recursive });
  return { allow: scope.allow.map(checked), deny: scope.deny.map(checked) };
}

export function sameRule(a: ScopeRule, b: ScopeRule): boolean {
  return (
    a.target === b.target &&
    a.permission === b.permission &&
    a.recursive === b.recursive &&
    a.shared === b.shared &&
    a.granted === b.granted
  );
}
