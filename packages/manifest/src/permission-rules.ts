/** Which permission rule a tool call meets. What follows from it (mode, scope, sandbox) is the Pod's policy. */
import type { JsonObject } from "@yoi/base";
import type { PermissionAction, PermissionRule } from "./manifest.ts";
import { matchesPattern } from "./wildcard.ts";

/** The arguments that say what a call is about, in the order in which they are looked for. */
const targetArguments = ["command", "file_path", "path", "pattern", "query", "url"];

/** What the rules' patterns are matched against: the first of the telling arguments that is a text, else all arguments as JSON. */
export function targetOf(args: JsonObject): string {
  for (const key of targetArguments) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === "string") return value;
  }
  return JSON.stringify(args);
}

const strictness: Readonly<Record<PermissionAction, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The rule that decides about a call, or null when none speaks of it. Within a layer the first rule that matches counts; of the layers'
 * rules the strictest does (deny, then ask, then allow), so that no file can lift what another one forbids.
 */
export function decisiveRule(
  rules: readonly PermissionRule[],
  call: { readonly tool: string; readonly target: string },
): PermissionRule | null {
  const tool = call.tool.toLowerCase();
  const settled = new Set<PermissionRule["layer"]>();
  let decisive: PermissionRule | null = null;
  for (const rule of rules) {
    if (settled.has(rule.layer)) continue;
    if (rule.tool !== "*" && rule.tool.toLowerCase() !== tool) continue;
    if (!matchesPattern(rule.pattern, call.target)) continue;
    settled.add(rule.layer);
    if (decisive === null || strictness[rule.action] > strictness[decisive.action]) decisive = rule;
  }
  return decisive;
}
