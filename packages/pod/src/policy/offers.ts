/** Offers: rules that an answer about a call may keep, the narrowest first. None lets through more than it says. */
import { patternCharsMax } from "@yoi/manifest";
import { isBelow, isWithin, parentOf, pathComponents } from "@yoi/scope";
import type { ScopePermission, ScopeRule } from "@yoi/base";
import type { JudgedCall } from "./rule-match.ts";
import type { CallRule, PathRule } from "./kept-rule.ts";
import type { CommandReading } from "./shell/reading.ts";

/** Programs whose first argument says which of many things they do. */
const withSubcommands: ReadonlySet<string> = new Set([
  ..."apt apt-get brew bun bundle cargo composer conda deno dnf docker dotnet flutter gem gh git glab go gradle".split(
    " ",
  ),
  ..."helm hg jj just kubectl make mise mvn nix npm pip pip3 pnpm poetry podman rails rustup swift systemctl".split(
    " ",
  ),
  ..."terraform uv yarn yoi".split(" "),
]);
/** Programs that do whatever an argument says: whoever allows them with any arguments allows anything. */
const runsAnything: ReadonlySet<string> = new Set([
  ..."ash awk bash bun busybox command csh dash deno doas env eval exec expect fish gawk ksh lua mawk nawk".split(
    " ",
  ),
  ..."nice node nohup npx osascript parallel perl php pnpx pwsh python python2 python3 Rscript ruby sed setsid sh".split(
    " ",
  ),
  ..."source ssh stdbuf sudo su tclsh time timeout trap tsx uvx watch xargs zsh bunx find fd make just".split(
    " ",
  ),
]);

/** Of a call that stays in the scope. @param reading of its command; null: it is none, or nobody read it. */
export function callOffers(
  { name: tool, target, command }: JudgedCall,
  kind: "command" | "path" | "text" | "url",
  reading: CommandReading | null,
): readonly CallRule[] {
  const exact: CallRule = { kind: "call", tool, about: { exactly: target.real } };
  switch (kind) {
    case "command":
      return [exact, ...patternOffer(tool, command === null ? null : commandPattern(target.real, reading))];
    case "path":
      return [exact, ...patternOffer(tool, below(parentOf(target.real)))];
    case "url":
      return [exact, ...patternOffer(tool, hostPattern(target.real))];
    case "text":
      return patternOffer(tool, "*");
  }
}

/** Of one that leaves it. `broad`: directories that are never offered as wholes, nor what holds them. */
export function pathOffers(rule: ScopeRule, broad: readonly string[]): readonly PathRule[] {
  const directory = parentOf(rule.target);
  const whole: ScopeRule = { target: directory, permission: rule.permission, recursive: true };
  const isBroad =
    rule.recursive || pathComponents(directory).length < 2 || broad.some((one) => isWithin(directory, one));
  return [{ kind: "path", rule }, ...(isBroad ? [] : [{ kind: "path", rule: whole } as const])];
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

/** Null where the command is more than one simple command, or its program's arguments say what is run. */
function commandPattern(text: string, reading: CommandReading | null): string | null {
  const [part, ...others] = reading?.parts ?? [];
  if (reading?.unknown !== null || part === undefined || others.length > 0) return null;
  // What a variable holds is known only then.
  if (part.spellings.some((spelling) => spelling.text.includes(null))) return null;
  const [program = "", first = ""] = text.trim().split(/[ \t]+/);
  if (!/^[A-Za-z0-9_.+-]+$/.test(program)) return null;
  if (withSubcommands.has(program))
    return /^[a-z][a-z0-9:_-]*$/i.test(first) ? `${program} ${first} *` : null;
  return runsAnything.has(program) ? null : `${program} *`;
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
