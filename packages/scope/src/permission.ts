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

export function higherPermission(a: Permission, b: Permission): Permission {
  return rank[a] >= rank[b] ? a : b;
}

/** True when the rule speaks about `path`. */
export function covers(rule: ScopeRule, path: string): boolean {
  if (rule.recursive) return isWithin(rule.target, path);
  return path === rule.target || parentOf(path) === rule.target;
}

/** The greatest matching allow, capped by the lowest matching deny: a deny of `write` leaves `read`, a deny of `read` leaves nothing. `path` is normalised. */
export function permissionAt(scope: Scope, path: string): Permission {
  let permission: Permission = "none";
  for (const rule of scope.allow) {
    if (covers(rule, path)) permission = higherPermission(permission, rule.permission);
  }
  for (const rule of scope.deny) {
    if (permission === "none") break;
    if (covers(rule, path)) permission = lowerPermission(permission, leftBy(rule.permission));
  }
  return permission;
}

/** What a deny leaves. */
export function leftBy(denied: ScopePermission): Permission {
  return denied === "read" ? "none" : "read";
}
