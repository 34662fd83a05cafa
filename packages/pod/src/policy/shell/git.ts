/** git: options before its subcommand, and the commands that its arguments hold. */
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, type Option, type ParsedOptions, parseOptions, valueOf } from "./options.ts";
import { knownWord, literalOf, type ShellWord } from "./shell-word.ts";

/** Settings that name a program, or a file of more settings. */
const runsPrograms =
  /^(?:alias|filter|include|includeif|pager|credential)\.|\.?(?:pager|editor|askpass|sshcommand|fsmonitor|hookspath|helper|external|textconv|command|cmd|program|driver|proxycommand|gitproxy|uploadpack|receivepack|update|templatedir|attributesfile)$/i;
/** They change what is shown, not what is done. */
const harmless: ReadonlySet<string> = new Set(["no-pager", "P", "no-optional-locks", "literal-pathspecs"]);

function parse(args: readonly ShellWord[]): ParsedOptions {
  return parseOptions(args, {
    letters: "Cc",
    long: ["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "attr-source"],
  });
}

/** The arguments from the subcommand on, and whether what was left out changes nothing; null where nothing stands before it. */
export function subcommandOf(
  args: readonly ShellWord[],
): { readonly words: readonly ShellWord[]; readonly isSame: boolean } | null {
  const { options, operands } = parse(args);
  if (options.length === 0) return null;
  return { words: operands, isSame: options.every(({ name }) => harmless.has(name)) };
}

export const git: FindInner = (args) => {
  const { options, operands } = parse(args);
  const [subcommand, ...rest] = operands;
  const name = subcommand === undefined ? null : literalOf(subcommand);
  return [
    ...options.flatMap(globalOption),
    ...(name === null ? [] : ofSubcommand(name, rest)),
    ...rest.flatMap((word) =>
      (literalOf(word) ?? "").startsWith("ext::") ? [unknown("uses a transport that is a command")] : [],
    ),
  ];
};

function globalOption({ name, value }: Option): readonly Inner[] {
  switch (name) {
    case "exec-path":
      return value === null ? [] : [unknown("says where git finds its programs")];
    case "c":
    case "config-env":
      return value === null ? [] : setting(value, name === "c");
    default:
      return [];
  }
}

/** `key=value`, or the name of a variable that holds the value. */
function setting(word: ShellWord, isValue: boolean): readonly Inner[] {
  const text = literalOf(word) ?? String(word.pieces[0] ?? "");
  const equals = text.indexOf("=");
  const key = equals === -1 ? text : text.slice(0, equals);
  if (equals === -1 && literalOf(word) === null) return [unknown(`gives git the setting ${word.written}`)];
  if (!runsPrograms.test(key)) return [];
  const value = equals === -1 ? "" : text.slice(equals + 1);
  const aliased = /^alias\./i.test(key) && value.startsWith("!") ? value.slice(1) : null;
  const sets = unknown(`gives git the setting ${word.written}, which says what it runs`);
  return isValue && aliased !== null && literalOf(word) !== null
    ? [{ kind: "script", script: knownWord(aliased) }, sets]
    : [sets];
}

function ofSubcommand(name: string, args: readonly ShellWord[]): readonly Inner[] {
  const [first, ...rest] = args;
  const verb = first === undefined ? null : literalOf(first);
  switch (name) {
    case "bisect":
      return verb === "run" ? command(rest) : [];
    case "submodule":
      return verb === "foreach" ? joinedScript(parseOptions(rest, {}).operands) : [];
    case "rebase":
      return scripts(args, "x", "exec");
    case "difftool":
      return scripts(args, "x", "extcmd");
    case "clone":
    case "fetch":
    case "pull":
    case "ls-remote":
      return scripts(args, "u", "upload-pack");
    case "push":
      return [...scripts(args, "", "receive-pack"), ...scripts(args, "", "exec")];
    case "filter-branch":
      return args.length === 0 ? [] : [unknown("has git filter-branch run what is in its arguments")];
    case "config":
      return configures(args) ? [unknown("changes a setting of git that says what it runs")] : [];
    default:
      return [];
  }
}

function scripts(args: readonly ShellWord[], letter: string, long: string): readonly Inner[] {
  const parsed = parseOptions(args, { letters: letter, long: [long], anywhere: true });
  return parsed.options
    .filter(({ name }) => name === letter || name === long)
    .flatMap(({ value }): readonly Inner[] => (value === null ? [] : [{ kind: "script", script: value }]));
}

/** Reading a setting runs nothing, setting one may. */
function configures(args: readonly ShellWord[]): boolean {
  const parsed = parseOptions(args, {
    letters: "ft",
    long: ["file", "blob", "type", "default", "comment", "value"],
    anywhere: true,
  });
  if (hasOption(parsed, "get", "get-all", "get-regexp", "unset", "unset-all", "list", "l")) return false;
  const value = valueOf(parsed, "value");
  return (
    parsed.operands.some((word) => runsPrograms.test(literalOf(word) ?? "")) &&
    (value !== null || parsed.operands.length > 1)
  );
}
