/** The target of a scope rule in a config file, as an absolute path. */
import { dirname, join, resolve } from "node:path";
import { isWithin } from "@yoi/scope";
import type { ConfigSource } from "./config-layer.ts";

/** The workspace that a project or local file belongs to: the parent of `.yoi`. */
function workspaceOf(source: ConfigSource): string {
  return dirname(dirname(source.path));
}

/** What a relative target is relative to: the folder of the user's file, the workspace of a project's. */
function baseOf(source: ConfigSource): string {
  return source.trust === "user" ? dirname(source.path) : workspaceOf(source);
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

/** True when a rule of this file may allow `path`: a project speaks of its own workspace only. */
export function mayAllow(path: string, source: ConfigSource): boolean {
  return source.trust === "user" || isWithin(workspaceOf(source), path);
}
