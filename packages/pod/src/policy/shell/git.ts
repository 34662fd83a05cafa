/** git: options before its subcommand, and the commands that its arguments hold. */
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, type Option, type ParsedOptions, parseOptions, valueOf } from "./options.ts";
import { knownWord, literalOf, type ShellWord, unknownWord } from "./shell-word.ts";

/** Settings that name a file of more settings, or a helper by a name of its own. */
const namesMore =
  /^(?:filter|include|includeif|credential|url\.ext::)|(?:^|\.)(?:helper|fsmonitor|templatedir|attributesfile|vcs|update|tunnel|smtpserver)$/i;
/** Settings whose value is a command: git adds arguments. */
const namesCommand =
  /^pager\.|(?:pager|editor|askpass|sshcommand|external|textconv|command|cmd|program|driver|httpd|gitproxy|uploadpack|receivepack|hook|difffilter)$|^(?:browser|man|difftool|mergetool)\..*\.path$/i;
/** Options of subcommands whose value is a command; they may be cut short. */
const commandOptions: readonly string[] = [
  "exec",
  "extcmd",
  "upload-pack",
  "receive-pack",
  "open-files-in-pager",
  "sendmail-cmd",
  "to-cmd",
  "cc-cmd",
  "authors-prog",
  "browser",
];
/** The same of letters, with the other letters that take a value. */
const commandLetters: ReadonlyMap<string, { readonly runs: string; readonly other: string }> = new Map([
  ["rebase", { runs: "x", other: "sXCS" }],
  ["difftool", { runs: "x", other: "t" }],
  ["clone", { runs: "u", other: "obcj" }],
  ["grep", { runs: "O", other: "efmABC" }],
  ["instaweb", { runs: "b", other: "dmp" }],
  ["web--browse", { runs: "b", other: "tc" }],
]);
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
    ...(name === null ? [] : [...ofSubcommand(name, rest), ...ofOptions(name, rest)]),
    ...rest.flatMap((word) =>
      /^(?:-[^=]*=)?ext::/.test(startOf(word)) ? [unknown("uses a transport that is a command")] : [],
    ),
  ];
};

/** What is known of its beginning. */
function startOf({ pieces }: ShellWord): string {
  return pieces[0] ?? "";
}

function globalOption({ name, value }: Option): readonly Inner[] {
  switch (name) {
    case "exec-path":
      return value === null ? [] : [unknown("says where git finds its programs")];
    case "c":
      return value === null ? [] : pair(value);
    case "config-env":
      return value === null ? [] : setting(startOf(value).split("=")[0] ?? "", unknownWord(value.written));
    default:
      return [];
  }
}

/** `key=value` */
function pair(word: ShellWord): readonly Inner[] {
  const start = startOf(word);
  const equals = start.indexOf("=");
  if (equals === -1)
    return literalOf(word) === null ? [unknown(`gives git the setting ${word.written}`)] : [];
  const pieces = [start.slice(equals + 1), ...word.pieces.slice(1)];
  const written = word.written.slice(word.written.indexOf("=") + 1);
  return setting(start.slice(0, equals), { ...word, pieces, written });
}

function setting(key: string, value: ShellWord): readonly Inner[] {
  const text = literalOf(value);
  const sets = unknown(`gives git the setting ${key}=${value.written}, which says what it runs`);
  if (/^ext::/.test(startOf(value)) || namesMore.test(key)) return [sets];
  const isAlias = /^alias\./i.test(key);
  if (!isAlias && !namesCommand.test(key)) return [];
  if (text === null) return [sets];
  if (/^(?:true|false)?$/.test(text)) return [];
  const script = isAlias ? (text.startsWith("!") ? text.slice(1) : `git ${text}`) : text;
  return [{ kind: "template", script: knownWord(script) }];
}

function ofSubcommand(name: string, args: readonly ShellWord[]): readonly Inner[] {
  const { operands } = parseOptions(args, { letters: "c", long: ["config"] });
  const [first, ...rest] = operands;
  const verb = first === undefined ? null : literalOf(first);
  switch (name) {
    case "bisect":
      return verb === "run"
        ? command(literalOf(rest[0] ?? knownWord("")) === "--" ? rest.slice(1) : rest)
        : [];
    case "submodule":
      return verb === "foreach" ? joinedScript(parseOptions(rest, {}).operands) : [];
    case "for-each-repo":
      return command([knownWord("git"), ...operands]);
    case "clone":
      return parseOptions(args, { letters: "cobuj", long: ["config"], anywhere: true })
        .options.filter((option) => option.name === "c" || option.name === "config")
        .flatMap(({ value }) => (value === null ? [] : pair(value)));
    case "filter-branch":
    case "remote-ext":
    case "remote-fd":
    case "shell":
      return args.length === 0 ? [] : [unknown(`has git ${name} run what is in its arguments`)];
    case "config":
      return configures(args);
    default:
      return [];
  }
}

function ofOptions(name: string, args: readonly ShellWord[]): readonly Inner[] {
  const { runs, other } = commandLetters.get(name) ?? { runs: "", other: "" };
  // What these letters take is attached or nothing.
  const isAttached = name === "grep";
  const parsed = parseOptions(args, {
    letters: isAttached ? other : runs + other,
    long: isAttached ? [] : commandOptions,
    anywhere: true,
  });
  const scripts = parsed.options
    .filter((option) => commandOptions.includes(option.name) || (runs !== "" && option.name === runs))
    .map(({ value }) => value);
  const attached = isAttached
    ? args.flatMap((word) => {
        const match = /^(?:-[A-Za-z]*?O|--open[a-z-]*=)([^]+)$/.exec(literalOf(word) ?? "");
        return match === null ? [] : [knownWord(match[1] ?? "")];
      })
    : [];
  return [...scripts, ...attached].flatMap((script): readonly Inner[] =>
    script === null ? [] : [{ kind: "template", script }],
  );
}

/** Reading a setting runs nothing, setting one may. */
function configures(args: readonly ShellWord[]): readonly Inner[] {
  const parsed = parseOptions(args, {
    letters: "ft",
    long: ["file", "blob", "type", "default", "comment", "value"],
    anywhere: true,
  });
  if (hasOption(parsed, "get", "get-all", "get-regexp", "unset", "unset-all", "list", "l")) return [];
  const at = parsed.operands.findIndex((word) => startOf(word).includes("."));
  const key = parsed.operands[at];
  const value = valueOf(parsed, "value") ?? parsed.operands[at + 1] ?? null;
  return key === undefined || value === null ? [] : setting(literalOf(key) ?? startOf(key), value);
}
