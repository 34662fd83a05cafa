/** A scope in a few words, for a table: what may be written, as it lies in the workspace. */
import { relative } from "node:path";
import type { Scope, ScopeRule } from "@yoi/base";
import { permissionAt, writeRules } from "@yoi/scope";

const shownMax = 3;

/** As `src/a, /srv/data`; what may only be read is not listed. */
export function scopeText(scope: Scope, workspace: string | null): string {
  const writable = writeRules(scope).filter(({ target }) => permissionAt(scope, target) === "write");
  return writable.length === 0 ? "reads only" : rulesText(writable, workspace);
}

export function rulesText(rules: readonly ScopeRule[], workspace: string | null): string {
  // One place may be its own by one rule and shared by another.
  const places = [...new Set(rules.map((rule) => ruleText(rule, workspace)))];
  const shown = places.slice(0, shownMax);
  const more = places.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`${more} more`])].join(", ");
}

function ruleText({ target, recursive }: ScopeRule, workspace: string | null): string {
  const inside = workspace === null ? null : relative(workspace, target);
  const isOutside = inside === null || inside === ".." || inside.startsWith("../");
  const place = isOutside ? target : inside || ".";
  return recursive ? place : `${place} (not below)`;
}
