/** What rules and mode say of a call: the strictest word over its parts, and over the origins of rules. */
import type { PermissionMode } from "@yoi/manifest";
import {
  describeRule,
  isAboutCommand,
  isUniversal,
  type JudgedCall,
  type JudgedRule,
  matchCall,
  matchPart,
  matchUnknown,
  matchWhole,
  type RuleMatch,
  type WholeMatch,
} from "./rule-match.ts";
import { isSessionTool } from "./session-tools.ts";
import type { CommandReading } from "./shell/reading.ts";

/** One policy of a manifest, made ready. */
export interface Permissions {
  readonly mode: PermissionMode;
  readonly rules: readonly JudgedRule[];
  /** The Pod above whose policy it is; null: the Pod's own. */
  readonly of: string | null;
}

export type Verdict =
  | { readonly action: "allow" }
  | {
      readonly action: "deny" | "ask";
      /** The rule or the mode, for a sentence. */
      readonly because: string;
      /** The part of the command that it is about, as the rest of a sentence: "the command holds ..."; null where that is all of it. */
      readonly about: string | null;
      /** Only a run would show whether the rule is about it. */
      readonly isOpen: boolean;
    };

/** The strictest of what several policies say; of equal words the first. */
export function strictest(
  policies: readonly Permissions[],
  verdictOf: (policy: Permissions) => Verdict,
): Verdict {
  let found: Verdict = { action: "allow" };
  for (const policy of policies) {
    const verdict = verdictOf(policy);
    if (verdict.action === "deny") return verdict;
    if (verdict.action === "ask" && found.action === "allow") found = verdict;
  }
  return found;
}

/** One of the things that a call does. */
interface Facet {
  readonly match: (rule: JudgedRule) => RuleMatch;
  readonly about: string | null;
  /** It is not known what it does. */
  readonly isUnknown: boolean;
}

/** Judges a call as a whole. Pure. */
export function judge(permissions: Permissions, call: JudgedCall): Verdict {
  return judgeFacets(permissions, call, [
    { match: (rule) => matchCall(rule, call), about: null, isUnknown: false },
  ]);
}

/** Whether the parts of the call's command count: there is a rule over commands that is not about all of them, and one that could refuse. */
export function needsReading({ mode, rules }: Permissions, call: JudgedCall): boolean {
  const ofCommands = rules.filter((rule) => isAboutCommand(rule, call));
  if (ofCommands.every(isUniversal)) return false;
  return mode !== "allow-in-scope" || ofCommands.some(({ action }) => action !== "allow");
}

/** Judges a call part by part of its command. Pure. */
export function judgeCommand(permissions: Permissions, call: JudgedCall, reading: CommandReading): Verdict {
  const text = call.target.real.trim();
  const wholes = new Map(permissions.rules.map((rule) => [rule, matchWhole(rule, call)]));
  const wholeOf = (rule: JudgedRule): WholeMatch => wholes.get(rule) ?? matchWhole(rule, call);
  const facets: Facet[] = reading.parts.map((part) => ({
    match: (rule) => matchPart(rule, part, wholeOf(rule)),
    about: part.written === text ? null : `the command holds ${part.written}`,
    isUnknown: false,
  }));
  if (reading.unknown !== null) {
    facets.push({
      match: (rule) => matchUnknown(rule, wholeOf(rule)),
      about: `the command ${reading.unknown}`,
      isUnknown: true,
    });
  }
  return facets.length === 0 ? judge(permissions, call) : judgeFacets(permissions, call, facets);
}

interface Found {
  readonly rule: JudgedRule;
  readonly match: RuleMatch;
  readonly facet: Facet;
}

function judgeFacets(permissions: Permissions, call: JudgedCall, facets: readonly Facet[]): Verdict {
  const found = facets.map((facet) => ({ facet, rules: rulesOf(permissions.rules, facet) }));
  const all = found.flatMap(({ rules }) => rules);
  const strictest =
    all.find(({ rule, match }) => rule.action === "deny" && match === "always") ??
    all.find(({ rule, match }) => rule.action === "ask" && match === "always") ??
    all.find(({ rule }) => rule.action !== "allow");
  if (strictest !== undefined) {
    const { rule, match, facet } = strictest;
    const isOpen = match === "maybe";
    const action = rule.action === "deny" && !isOpen ? "deny" : "ask";
    return {
      action,
      because: `the rule ${describeRule(rule)}${whose(permissions)}`,
      about: facet.about,
      isOpen,
    };
  }
  const unlisted = found.filter(({ rules }) => rules.length === 0).map(({ facet }) => facet);
  // What is known is refused before what is not is asked.
  const facet = unlisted.find(({ isUnknown }) => !isUnknown) ?? unlisted[0];
  return facet === undefined ? { action: "allow" } : byMode(permissions, call, facet);
}

/** The rules that count for a facet: of each origin the first that is about it, and those before it that may be. */
function rulesOf(rules: readonly JudgedRule[], facet: Facet): readonly Found[] {
  const decided = new Set<string>();
  const found: Found[] = [];
  for (const rule of rules) {
    if (decided.has(rule.origin)) continue;
    const match = facet.match(rule);
    if (match === "never") continue;
    found.push({ rule, match, facet });
    if (match === "always") decided.add(rule.origin);
  }
  return found;
}

/** For a sentence of a child, whose the word is where it is not its own. */
function whose({ of }: Permissions): string {
  return of === null ? "" : ` (of the Pod ${of} above this one)`;
}

function byMode(permissions: Permissions, call: JudgedCall, { about, isUnknown }: Facet): Verdict {
  const { mode, rules } = permissions;
  if (isSessionTool(call.name)) return { action: "allow" };
  switch (mode) {
    case "allow-in-scope":
      return { action: "allow" };
    case "ask":
      return call.readOnly
        ? { action: "allow" }
        : { action: "ask", because: `the permission mode ask${whose(permissions)}`, about, isOpen: false };
    case "deny-unlisted": {
      const mayBeAllowed =
        isUnknown && rules.some((rule) => rule.action === "allow" && isAboutCommand(rule, call));
      if (mayBeAllowed)
        return {
          action: "ask",
          because: `the permission mode deny-unlisted${whose(permissions)}`,
          about,
          isOpen: false,
        };
      const because = `the permission mode deny-unlisted${whose(permissions)}, which refuses what no rule allows`;
      return { action: "deny", because, about, isOpen: false };
    }
  }
}
