/** The target of a scope rule in a config file, as an absolute path. */
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { ScopePermission } from "@yoi/base";
import { isWithin } from "@yoi/scope";
import type { ConfigSource } from "./config-layer.ts";
import { projectRule } from "./list-elements.ts";

/** The workspace that a project or local file belongs to, the parent of `.yoi`; that which a profile is read for. */
function workspaceOf(source: ConfigSource): string {
  return source.profile?.workspace ?? dirname(dirname(source.path));
}

/** What a relative target is relative to: the folder of the user's own config file, the workspace for all others. */
function baseOf(source: ConfigSource): string {
  return isUsersConfig(source) ? dirname(source.path) : workspaceOf(source);
}

function isUsersConfig({ trust, profile }: ConfigSource): boolean {
  return trust === "user" && profile === undefined;
}

/** The absolute path, or the end of the sentence "<key> must be ...". */
export function resolveTarget(target: string, source: ConfigSource): { path: string } | { mustBe: string } {
  if (target === "" || /[\u0000-\u001f\u007f]/.test(target)) return { mustBe: "a path" };
  if (target.includes("*")) {
    return {
      mustBe: "a path without patterns: a rule covers what is below its target unless recursive is false",
    };
  }
  if (target === "~" || target.startsWith("~/")) {
    if (source.home === undefined) return { mustBe: "an absolute path, or one relative to its file" };
    return { path: withoutSlash(join(source.home, target.slice(1))) };
  }
  return { path: withoutSlash(resolve(baseOf(source), target)) };
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Why a rule of this file may not say `shared`, as the rest of a sentence; null when it may. */
export function refusalToShare(permission: ScopePermission, source: ConfigSource): string | null {
  if (source.profile !== undefined)
    return "may not stand in a profile: that several Pods may write in one place is said in your own config.toml";
  if (source.trust === "project") return `may not be said ${projectRule}`;
  return permission === "write" ? null : "goes with the permission write: any number of Pods may read";
}

/** Why a rule of this file may not allow `target`, which leads to `path`, as the rest of a sentence; null when it may. */
export function refusalToAllow(target: string, path: string, source: ConfigSource): string | null {
  if (isUsersConfig(source)) return null;
  if (source.profile !== undefined && (isAbsolute(target) || target.startsWith("~")))
    return "must be relative to the workspace in a profile, which only narrows what may be touched there";
  if (isWithin(workspaceOf(source), path)) return null;
  return source.profile === undefined
    ? `may not lie outside the workspace ${projectRule}`
    : "may not lie outside the workspace in a profile, which only narrows what may be touched there";
}
