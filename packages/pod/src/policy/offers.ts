/** Offers: rules that an answer about a call may keep, the narrowest first. None lets through more than it says. */
import { patternCharsMax, tellingArgumentOf } from "@yoi/manifest";
import { isBelow, isWithin, parentOf, pathComponents } from "@yoi/scope";
import type { ScopePermission, ScopeRule } from "@yoi/base";
import type { JudgedCall } from "./rule-match.ts";
import type { CallRule, PathRule } from "./kept-rule.ts";
import type { CommandReading } from "./shell/reading.ts";

/**
 * Programs, with the subcommand of those that have some, whose arguments are data: none of them says what is run, as a compressor, a pager, a configuration or
 * a script does. What builds, tests, installs or fetches is not among them, nor what replaces or removes files.
 */
const dataOnly: ReadonlySet<string> = new Set([
  ..."basename cat cmp comm cut diff dirname du echo grep head ls mkdir nl printf pwd readlink realpath".split(
    " ",
  ),
  ..."stat tail touch tr wc which".split(" "),
  ..."add blame branch commit describe diff log ls-files rev-parse shortlog show status"
    .split(" ")
    .map((command) => `git ${command}`),
]);

/** The call of a tool that yoi knows lacks the argument that says what it is about, or that is no text. */
export function saysNothing({ name, target, argument }: JudgedCall): boolean {
  const telling = tellingArgumentOf(name);
  return telling !== null && argument(telling)?.real !== target.real;
}

/** Of a call that stays in the scope. @param reading of its command; null: it is none, or nobody read it. */
export function callOffers(
  call: JudgedCall,
  kind: "command" | "path" | "text" | "url",
  reading: CommandReading | null,
): readonly CallRule[] {
  const { name: tool, target, command } = call;
  const exact: CallRule = { kind: "call", tool, about: { exactly: target.real } };
  switch (kind) {
    case "command":
      return [exact, ...patternOffer(tool, command === null ? null : commandPattern(target.real, reading))];
    case "path":
      return [exact, ...patternOffer(tool, below(parentOf(target.real)))];
    case "url":
      return [exact, ...patternOffer(tool, hostPattern(target.real))];
    case "text":
      if (tellingArgumentOf(tool) === null) return patternOffer(tool, "*");
      return saysNothing(call) ? [] : [exact, ...patternOffer(tool, "*")];
  }
}

/** Of one that leaves it; none where only what is broad would do. `broad`: directories that are never offered as wholes, nor what holds them. */
export function pathOffers(rule: ScopeRule, broad: readonly string[]): readonly PathRule[] {
  const isBroad = (directory: string): boolean =>
    pathComponents(directory).length < 2 || broad.some((one) => isWithin(directory, one));
  const own: PathRule = { kind: "path", rule };
  if (rule.recursive) return isBroad(rule.target) ? [] : [own];
  const directory = parentOf(rule.target);
  if (isBroad(directory)) return [own];
  return [own, { kind: "path", rule: { target: directory, permission: rule.permission, recursive: true } }];
}

/** Whether one rule gives all that the wish is about. */
export function givesWish(
  rule: ScopeRule,
  wish: { readonly permission: ScopePermission; readonly target: string },
): boolean {
  if (rule.permission === "read" && wish.permission === "write") return false;
  if (rule.target === wish.target) return true;
  return isBelow(rule.target, wish.target) && (rule.recursive || parentOf(wish.target) === rule.target);
}

function patternOffer(tool: string, pattern: string | null): readonly CallRule[] {
  if (pattern === null || pattern.length > patternCharsMax) return [];
  return [{ kind: "call", tool, about: { pattern } }];
}

/** Null where the command is more than one simple command, or not one of those whose arguments are data. */
function commandPattern(text: string, reading: CommandReading | null): string | null {
  const [part, ...others] = reading?.parts ?? [];
  if (reading?.unknown !== null || part === undefined || others.length > 0) return null;
  // What a variable holds is known only then.
  if (part.spellings.some((spelling) => spelling.text.includes(null))) return null;
  const [program = "", first = ""] = text.trim().split(/[ \t]+/);
  if (!/^[A-Za-z0-9_.+-]+$/.test(program)) return null;
  return [program, `${program} ${first}`].find((known) => dataOnly.has(known))?.concat(" *") ?? null;
}

/** Everything below a directory, in the language of patterns, where `*` is any text. */
function below(directory: string): string | null {
  return directory === "/" || /[*?]/.test(directory) ? null : `${directory}/**`;
}

function hostPattern(url: string): string | null {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.host === "" || parsed.username !== "" || parsed.password !== "") return null;
  const root = `${parsed.protocol}//${parsed.host}/`;
  return url.startsWith(root) && !/[*?]/.test(root) ? `${root}*` : null;
}
