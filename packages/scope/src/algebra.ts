/** The algebra of scopes: subset, intersection, narrowing, and where two let the same be written. Pure; every result is a new scope. */
import type { Scope, ScopeRule } from "@yoi/base";
import { writeRules } from "./loans.ts";
import { childOf, isWithin, joinComponents, pathComponents } from "./path.ts";
import { lowerPermission, permissionAt, permits } from "./permission.ts";
import { sameRule } from "./rule.ts";

/** A name that no file can have, so that no rule can name it: it stands for "any other child". */
const anyOther = "\0";

/**
 * True when `outer` gives at least what `inner` gives, on every path there is. Exact: a path that no rule names is treated like
 * any other child, or any deeper descendant, of its nearest ancestor that some rule names or passes through.
 */
export function isSubset(inner: Scope, outer: Scope): boolean {
  for (const place of placesOf(inner, outer)) {
    if (!permits(permissionAt(outer, place), permissionAt(inner, place))) return false;
  }
  return true;
}

function placesOf(...scopes: readonly Scope[]): Set<string> {
  const named = new Set<string>(["/"]);
  for (const { target } of scopes.flatMap((scope) => [...scope.allow, ...scope.deny])) {
    const names = pathComponents(target);
    for (let depth = 1; depth <= names.length; depth += 1) named.add(joinComponents(names.slice(0, depth)));
  }
  const places = new Set(named);
  for (const place of named) {
    const child = childOf(place, anyOther);
    places.add(child).add(childOf(child, anyOther));
  }
  return places;
}

/**
 * A scope that gives a path what both give. Never more than either; less only where a non-recursive rule meets another rule
 * in one single path, which no rule can express: that path is left out.
 */
export function intersectScopes(a: Scope, b: Scope): Scope {
  const allow: ScopeRule[] = [];
  for (const left of a.allow) {
    for (const right of b.allow) {
      const common = intersectRules(left, right);
      if (common !== null) allow.push(common);
    }
  }
  return { allow: withoutCovered(allow), deny: distinct([...a.deny, ...b.deny]) };
}

function intersectRules(a: ScopeRule, b: ScopeRule): ScopeRule | null {
  const permission = lowerPermission(a.permission, b.permission) === "write" ? "write" : "read";
  const [upper, lower] = isWithin(a.target, b.target) ? [a, b] : [b, a];
  if (!isWithin(upper.target, lower.target)) return null;
  // What one of them shares, the other does not make anybody's own.
  const shared =
    permission === "write" && (a.shared === true || b.shared === true) ? { shared: true as const } : {};
  if (upper.recursive) return { target: lower.target, permission, recursive: lower.recursive, ...shared };
  if (upper.target === lower.target) return { target: upper.target, permission, recursive: false, ...shared };
  return null;
}

/** Drops every rule that another rule of the list makes needless. */
function withoutCovered(rules: readonly ScopeRule[]): ScopeRule[] {
  const kept = distinct(rules);
  return kept.filter(
    (rule) =>
      !kept.some(
        (other) =>
          other !== rule &&
          permits(other.permission, rule.permission) &&
          // What is shared stays so, and so does what is held alone, whatever else says more of the same place.
          (other.shared === rule.shared || rule.permission === "read") &&
          (other.recursive
            ? isWithin(other.target, rule.target)
            : !rule.recursive && other.target === rule.target),
      ),
  );
}

function distinct(rules: readonly ScopeRule[]): ScopeRule[] {
  return rules.filter((rule, index) => rules.findIndex((other) => sameRule(other, rule)) === index);
}

/** The scope with write left in the directories only; what could be written elsewhere can still be read. */
export function writingOnly(scope: Scope, directories: readonly string[]): Scope {
  const kept = directories.map((target): ScopeRule => ({ target, permission: "write", recursive: true }));
  const left = intersectScopes(writable(scope), { allow: kept, deny: [] });
  const readable = scope.allow.map(({ target, recursive }): ScopeRule => ({
    target,
    permission: "read",
    recursive,
  }));
  return { allow: withoutCovered([...left.allow, ...readable]), deny: scope.deny };
}

/** True when there is a path that both let be written. Exact, as `isSubset` is. */
export function overlapping(a: Scope, b: Scope): boolean {
  return sharedWrite(a, b) !== null;
}

/** A path that both let be written, or the nearest one above it that a rule names; null: there is none. Exact, as `isSubset` is. */
export function sharedWrite(a: Scope, b: Scope): string | null {
  const [left, right] = [writable(a), writable(b)];
  // Most scopes have nothing to do with each other: where no rules for writing meet, there is no path to look at.
  if (!left.allow.some((one) => right.allow.some((other) => isNear(one.target, other.target)))) return null;
  for (const place of placesOf(left, right)) {
    if (permissionAt(left, place) === "write" && permissionAt(right, place) === "write") {
      const named = pathComponents(place);
      return joinComponents(named.slice(0, named.findLastIndex((name) => name !== anyOther) + 1));
    }
  }
  return null;
}

/** What decides where the scope lets something be written. */
function writable(scope: Scope): Scope {
  return { allow: writeRules(scope), deny: scope.deny };
}

function isNear(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}
