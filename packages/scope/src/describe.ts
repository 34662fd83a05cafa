/** A scope in words, for the system prompt and for people. */
import type { Scope, ScopeRule } from "@yoi/base";
import { escapeControls } from "@yoi/base";
import { permissionAt } from "./permission.ts";

/** Lines that say what may be read and written, exceptions included: a path that is denied is never shown as usable without its deny. */
export function describeScope(scope: Scope): string {
  const usable = scope.allow.filter((rule) => permissionAt(scope, rule.target) !== "none");
  const writable = usable.filter((rule) => permissionAt(scope, rule.target) === "write");
  const readable = usable.filter((rule) => !writable.includes(rule));
  const sections = [
    section("Writable (and readable)", writable),
    section("Readable only", readable),
    section(
      "Never writable",
      scope.deny.filter((rule) => rule.permission === "write"),
    ),
    section(
      "Neither readable nor writable",
      scope.deny.filter((rule) => rule.permission === "read"),
    ),
  ].filter((text) => text !== "");
  return sections.length === 0 ? "No file may be read or written." : sections.join("\n");
}

function section(title: string, rules: readonly ScopeRule[]): string {
  if (rules.length === 0) return "";
  const lines = rules.map(
    (rule) =>
      `- ${escapeControls(rule.target)}${rule.recursive ? "" : " (itself and its direct children only)"}`,
  );
  return [`${title}:`, ...new Set(lines)].join("\n");
}
