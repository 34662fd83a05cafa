/** What a scope says about one path. */
import type { Scope, ScopePermission, ScopeRule } from "@yoi/base";
import { isWithin, parentOf } from "./path.ts";

export type Permission = "none" | ScopePermission;

const rank = { none: 0, read: 1, write: 2 } as const satisfies Record<Permission, number>;

/** True when having `held` is enough for `wanted`. */
export function permits(held: Permission, wanted: Permission): boolean {
  return rank[held] >= rank[wanted];
}

export function lowerPermission(a: Permission, b: Permission): Permission {
  return rank[a] <= rank[b] ? a : b;
}

function higherPermission(a: Permission, b: Permission): Permission {
  return rank[a] >= rank[b] ? a : b;
}

/** True when the rule speaks about `path`. */
export function covers(rule: ScopeRule, path: string): boolean {
  if (rule.recursive) return isWithin(rule.target, path);
  return path === rule.target || parentOf(path) === rule.target;
}

/** The greatest matching allow, capped by the lowest matching deny: a deny of `write` leaves `read`, a deny of `read` leaves nothing. `path` is normalised. */
export function permissionAt(scope: Scope, path: string): Permission {
  const targets = targetsOf(scope);
  let allowed: Permission = "none";
  let left: Permission = "write";
  const heed = (said: Said | undefined): void => {
    if (said === undefined) return;
    allowed = higherPermission(allowed, said.allowed);
    left = lowerPermission(left, said.left);
  };
  const parent = parentOf(path);
  for (let at = path; ; at = parentOf(at)) {
    const target = targets.get(at);
    heed(target?.below);
    if (at === path || at === parent) heed(target?.near);
    if (at === "/") return lowerPermission(allowed, left);
  }
}

/** What the rules of one target say together. */
interface Said {
  allowed: Permission;
  left: Permission;
}

interface Target {
  /** Its recursive rules, for it and all below. */
  readonly below: Said;
  /** The others, for it and its direct children. */
  readonly near: Said;
}

/** A scope has few targets above one path, however many rules: they are looked up, not searched for. Scopes are values and never change. */
const known = new WeakMap<Scope, ReadonlyMap<string, Target>>();

function targetsOf(scope: Scope): ReadonlyMap<string, Target> {
  const found = known.get(scope);
  if (found !== undefined) return found;
  const targets = new Map<string, Target>();
  const saidBy = ({ target, recursive }: ScopeRule): Said => {
    const nothing = (): Said => ({ allowed: "none", left: "write" });
    const said = targets.get(target) ?? { below: nothing(), near: nothing() };
    targets.set(target, said);
    return recursive ? said.below : said.near;
  };
  for (const rule of scope.allow) {
    const said = saidBy(rule);
    said.allowed = higherPermission(said.allowed, rule.permission);
  }
  for (const rule of scope.deny) {
    const said = saidBy(rule);
    said.left = lowerPermission(said.left, leftBy(rule.permission));
  }
  known.set(scope, targets);
  return targets;
}

/** What a deny leaves. */
export function leftBy(denied: ScopePermission): Permission {
  return denied === "read" ? "none" : "read";
}
