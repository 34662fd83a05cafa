/** Whether a permission rule is about a call, or about one part of the command that a call runs. */
import { type PermissionRule, Wildcard } from "@yoi/manifest";
import type { Part } from "./shell/part.ts";

/** What rules are matched against. The two texts differ where a path leads through a link, or a URL can be written in another way. */
export interface JudgedTarget {
  /** A path is in normal form, so that `/w/./x` is judged as `/w/x`; a URL is as it was written. */
  readonly named: string;
  readonly real: string;
}

/** A call as rules see it. */
export interface JudgedCall {
  readonly name: string;
  readonly readOnly: boolean;
  /** What rules that name no argument are matched against. */
  readonly target: JudgedTarget;
  /** What rules that name an argument are: null where the call has none of that name. */
  readonly argument: (name: string) => JudgedTarget | null;
  /** The argument that is a command; null where rules see none of it but its text. */
  readonly command: string | null;
}

/** A rule made ready for many calls. */
export interface JudgedRule extends PermissionRule {
  readonly wildcard: Wildcard;
}

export function judgedRule(rule: PermissionRule): JudgedRule {
  return { ...rule, wildcard: new Wildcard(rule.pattern) };
}

/** `maybe`: only a run shows whether the rule is about it. */
export type RuleMatch = "always" | "maybe" | "never";

/** Names of tools are compared without the case of ASCII letters; no other letter equals one. */
export function sameTool(one: string, other: string): boolean {
  return foldAscii(one) === foldAscii(other);
}

export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function isOfTool(rule: PermissionRule, tool: string): boolean {
  return rule.tool === "*" || sameTool(rule.tool, tool);
}

/** As refusals and alerts name it. */
export function describeRule({ action, tool, argument, pattern, origin }: PermissionRule): string {
  const matched = argument === undefined ? pattern : `${argument}: ${pattern}`;
  return `${action} ${tool}(${matched}) of ${origin}`;
}

/** Matches whatever text there is. */
export function isUniversal({ pattern }: PermissionRule): boolean {
  return /^\*+$/.test(pattern);
}

/** A rule over the commands that a call runs. */
export function isAboutCommand(rule: PermissionRule, { name, command }: JudgedCall): boolean {
  return (
    command !== null && isOfTool(rule, name) && (rule.argument === undefined || rule.argument === command)
  );
}

/** A rule and a call as a whole. */
export function matchCall(rule: JudgedRule, call: JudgedCall): RuleMatch {
  if (!isOfTool(rule, call.name)) return "never";
  const target = rule.argument === undefined ? call.target : call.argument(rule.argument);
  return target !== null && matchesTarget(rule, target) ? "always" : "never";
}

/** No link leads around a deny or an ask, and none into an allow: that is for what it names really. */
function matchesTarget(rule: JudgedRule, { named, real }: JudgedTarget): boolean {
  if (rule.wildcard.covers(real)) return true;
  return rule.action !== "allow" && named !== real && rule.wildcard.covers(named);
}

/** What a rule says of a call, once for all of its parts. */
export interface WholeMatch {
  readonly isAboutCommand: boolean;
  readonly match: RuleMatch;
  /** An allow of any command, or of the very text of this one. */
  readonly allowsAll: boolean;
}

export function matchWhole(rule: JudgedRule, call: JudgedCall): WholeMatch {
  const isExact = !/[*?]/.test(rule.pattern) && rule.pattern === call.target.real;
  return {
    isAboutCommand: isAboutCommand(rule, call),
    match: matchCall(rule, call),
    allowsAll: rule.action === "allow" && (isUniversal(rule) || isExact),
  };
}

/**
 * A rule and a part of the call's command. A deny and an ask are matched against the whole command too; an allow only where it names
 * that command as it stands, or any. A pattern that begins with `*` looks for what is written; others are asked what may come of it.
 */
export function matchPart(
  { pattern, action, wildcard }: JudgedRule,
  { spellings }: Part,
  whole: WholeMatch,
): RuleMatch {
  if (!whole.isAboutCommand) return whole.match;
  if (action === "allow") {
    const isAllowed =
      whole.allowsAll ||
      spellings.some(({ use, text }) => use !== "refuse" && wildcard.coversPieces(text, "always"));
    return isAllowed ? "always" : "never";
  }
  if (whole.match === "always") return "always";
  const refusing = spellings.filter(({ use }) => use !== "allow");
  const isCovered = refusing.some(
    ({ text, open }) =>
      wildcard.coversPieces(text, "always") || (open !== null && wildcard.covers(open.written)),
  );
  if (isCovered) return "always";
  if (pattern.startsWith("*")) return "never";
  return refusing.some(({ open }) => open !== null && wildcard.coversPieces(open.loose, "maybe"))
    ? "maybe"
    : "never";
}

/** The same of what the command does and nobody can know: every rule over commands may be about it. */
export function matchUnknown({ action }: PermissionRule, whole: WholeMatch): RuleMatch {
  if (!whole.isAboutCommand) return whole.match;
  if (action === "allow") return whole.allowsAll ? "always" : "never";
  return whole.match === "always" ? "always" : "maybe";
}
