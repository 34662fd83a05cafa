/** KeptRule: what an answer of the user lets through beyond the call that was asked about. One format for people, for the log and for grants. */
import type { ScopePermission, ScopeRule } from "@yoi/base";
import { foldAscii } from "./rule-match.ts";

/** Characters of a rule; what takes more is not offered. */
export const keptRuleCharsMax = 4_096;

/** Calls of a tool: those about exactly this text, or those that a pattern covers, as an allow in `[permissions]` does. */
export interface CallRule {
  readonly kind: "call";
  readonly tool: string;
  readonly about: { readonly exactly: string } | { readonly pattern: string };
}
/** A path that file tools and commands may use beyond the scope. */
export interface PathRule {
  readonly kind: "path";
  readonly rule: ScopeRule;
}
export type KeptRule = CallRule | PathRule;

/**
 * `Bash(git push origin main)`, `Bash(git push *)`, `Bash("ls *.ts")`: in quotes stands, as JSON, a text that is meant as it is though it looks like a pattern.
 * `read /srv/data` is the path with what lies directly in it, `write /srv/data/**` all below it; a path that could be misread stands in quotes.
 */
export function keptRuleText(kept: KeptRule): string {
  if (kept.kind === "path") {
    const { permission, target, recursive } = kept.rule;
    const path = isPlainPath(target) ? target : JSON.stringify(target);
    return `${permission} ${path}${recursive ? "/**" : ""}`;
  }
  const { tool, about } = kept;
  if ("pattern" in about) return `${tool}(${about.pattern})`;
  const { exactly } = about;
  return `${tool}(${isPlainText(exactly) ? exactly : JSON.stringify(exactly)})`;
}

/** Null: it is no rule, or none that is written as `keptRuleText` writes it, or one that does not show all of itself. */
export function parseKeptRule(text: string): KeptRule | null {
  if (text.length > keptRuleCharsMax) return null;
  const kept = pathRuleOf(text) ?? callRuleOf(text);
  return kept !== null && keptRuleText(kept) === text ? kept : null;
}

/** The same rule: names of tools are compared as everywhere. */
export function isOfKeptTool({ tool }: CallRule, name: string): boolean {
  return foldAscii(tool) === foldAscii(name);
}

function callRuleOf(text: string): CallRule | null {
  const [, tool = "", inner = ""] = /^([A-Za-z0-9_-]{1,64})\((.+)\)$/su.exec(text) ?? [];
  if (tool === "") return null;
  if (inner.startsWith('"')) {
    const exactly = quotedIn(inner);
    return exactly === null ? null : { kind: "call", tool, about: { exactly } };
  }
  const about = /[*?]/.test(inner) ? { pattern: inner } : { exactly: inner };
  // There is no way to write such a pattern, and a text that is meant exactly stands in quotes.
  if (hasUnseen.test(inner)) return null;
  return { kind: "call", tool, about };
}

function pathRuleOf(text: string): PathRule | null {
  const [, word = "", rest = ""] = /^(read|write) (.+)$/su.exec(text) ?? [];
  if (word === "") return null;
  const permission: ScopePermission = word === "write" ? "write" : "read";
  const recursive = rest.endsWith("/**");
  const path = recursive ? rest.slice(0, -"/**".length) : rest;
  const target = path.startsWith('"') ? quotedIn(path) : path;
  if (target === null || !target.startsWith("/")) return null;
  return { kind: "path", rule: { target, permission, recursive } };
}

function quotedIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && value !== "" ? value : null;
  } catch {
    return null;
  }
}

/** Characters of which a reader sees nothing, or which do something to a terminal. */
const hasUnseen = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;

/** It is read back as a text that is meant exactly, and shows all of itself. */
function isPlainText(text: string): boolean {
  return !/^"|[*?]/.test(text) && !hasUnseen.test(text) && text.trim() === text && text !== "";
}

function isPlainPath(path: string): boolean {
  return isPlainText(path) && path.startsWith("/");
}
