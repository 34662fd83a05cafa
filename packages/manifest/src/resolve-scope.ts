/** The scope: what the user's layers give, narrowed by what the workspace's files say. */
import type { JsonObject, Scope, ScopeRule } from "@yoi/base";
import { intersectScopes, isWithin, writingOnly } from "@yoi/scope";
import type { ConfigLayer } from "./config-layer.ts";
import { builtIn } from "./layered.ts";
import type { ConfigEntry, ResolveInput } from "./resolve-input.ts";

/**
 * The user's rules are added to the default ones. An allow list of a workspace's file says what of the workspace may be touched: it is cut with what the
 * user gives; what the user gives elsewhere (system directories, toolchains) stays. Its deny rules are added.
 */
export function resolveScope(
  input: ResolveInput,
  warnings: string[],
): { scope: Scope; sources: readonly ConfigEntry[] } {
  const { layers, workspace, defaultScope, flags } = input;
  let scope: Scope = {
    allow: [...defaultScope.allow, ...(layers.user?.scope.allow ?? [])],
    deny: [...defaultScope.deny, ...(layers.user?.scope.deny ?? [])],
  };
  for (const layer of [layers.project, layers.local, ...(layers.profiles ?? []).toReversed()]) {
    if (layer === undefined) continue;
    if (layer.origins.has("scope.allow")) scope = narrowed(scope, layer, workspace, warnings);
    scope = { allow: scope.allow, deny: [...scope.deny, ...layer.scope.deny] };
  }
  if (flags.writes !== undefined) scope = writingOnly(scope, flags.writes);
  return {
    scope,
    sources: [
      { key: "scope.allow", value: scope.allow.map(ruleJson), origin: originsOf(input, "scope.allow") },
      { key: "scope.deny", value: scope.deny.map(ruleJson), origin: originsOf(input, "scope.deny") },
      ...(flags.writes === undefined ? [] : [writesEntry(flags.writes)]),
    ],
  };
}

function writesEntry(writes: readonly string[]): ConfigEntry {
  return { key: "scope.writes", value: writes, origin: writes.length === 0 ? "--read-only" : "--write" };
}

/** What a profile alone leaves of a scope that was not made by these files. */
export function narrowedBy(scope: Scope, profiles: readonly ConfigLayer[], workspace: string): Scope {
  return profiles.toReversed().reduce<Scope>((left, layer) => {
    const { allow, deny } = layer.origins.has("scope.allow") ? narrowed(left, layer, workspace, []) : left;
    return { allow, deny: [...deny, ...layer.scope.deny] };
  }, scope);
}

function narrowed(scope: Scope, layer: ConfigLayer, workspace: string, warnings: string[]): Scope {
  const elsewhere = scope.allow.filter(
    ({ target }) => !isWithin(target, workspace) && !isWithin(workspace, target),
  );
  // A rule for a folder above the workspace would give back what the list leaves out, and no rule can say "all of it but the workspace".
  for (const { target } of scope.allow) {
    if (target !== workspace && isWithin(target, workspace)) {
      warnings.push(
        `${layer.origins.get("scope.allow") ?? layer.source.path}: the allow list of this workspace also takes away what ${target} gives around it.`,
      );
    }
  }
  return intersectScopes(scope, { allow: [...elsewhere, ...layer.scope.allow], deny: [] });
}

function ruleJson({ target, permission, recursive, shared }: ScopeRule): JsonObject {
  return { target, permission, recursive, ...(shared === true && { shared }) };
}

function originsOf({ layers }: ResolveInput, key: "scope.allow" | "scope.deny"): string {
  const files = [layers.user, layers.project, layers.local, ...(layers.profiles ?? []).toReversed()].map(
    (layer) => layer?.origins.get(key),
  );
  return [builtIn, ...files.filter((origin) => origin !== undefined)].join(", ");
}
