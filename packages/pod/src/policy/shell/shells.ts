/** Shells, and what has a shell read a text: where the text is. */
import { normalize } from "node:path/posix";
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, type Option, type ParsedOptions, parseOptions, valueOf } from "./options.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

const input: readonly Inner[] = [{ kind: "input" }];

/** What a shell is given as a file, and is none: `-`, and what the system makes of open descriptors. */
function isInput(file: string): boolean {
  const [root] = normalize(file)
    .split("/")
    .filter((name) => name !== "" && name !== "..");
  const mayBeDevice = file.startsWith("/") || file.startsWith(".");
  return /(?:^|\/)(?:-|stdin)$/.test(file) || (mayBeDevice && (root === "dev" || root === "proc"));
}

/** A file is not looked into; but what the command holds beside it may be what the file leads to. */
function fileOf(file: ShellWord, program: string): readonly Inner[] {
  const name = literalOf(file);
  if (name === null) return [unknown(`has ${program} run ${file.written}`)];
  return isInput(name) ? input : [{ kind: "input", ifKnown: true }];
}

/** As a shell reads its own: `-o` and `-O` take the next word wherever they stand, and `+` switches off. */
function shellOptions(args: readonly ShellWord[]): ParsedOptions {
  const options: Option[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const text = literalOf(word);
    if (text === null && !/^[^-+]/.test(word.pieces[0] ?? ""))
      return { options, operands: args.slice(at), isOpen: true };
    if (text === null) break;
    if (text === "--" || text === "-") {
      at += 1;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    const isLong = text.startsWith("--");
    for (const name of isLong ? [text.slice(2)] : text.slice(1)) {
      const takesNext = isLong ? /^(?:rcfile|init-file)$/.test(name) : /^[oO]$/.test(name);
      if (takesNext) at += 1;
      options.push({ name, value: takesNext ? (args[at] ?? null) : null });
    }
  }
  return { options, operands: args.slice(at), isOpen: false };
}

/** `bash -c TEXT`, `bash FILE`, or what its input holds. */
const shell: FindInner = (args, program) => {
  const parsed = shellOptions(args);
  const settings = valueOf(parsed, "rcfile", "init-file");
  const [first] = parsed.operands;
  const isText = hasOption(parsed, "c", "command");
  const found: Inner[] = settings === null ? [] : [...fileOf(settings, program)];
  if (parsed.isOpen || (isText && first === undefined))
    found.push(unknown(`has ${program} run ${first?.written ?? "a text that is not known"}`));
  else if (isText && first !== undefined) found.push({ kind: "script", script: first });
  else if (hasOption(parsed, "version", "help")) return found;
  else if (first === undefined || hasOption(parsed, "s")) found.push(...input);
  else found.push(...fileOf(first, program));
  return found;
};

/** Its options are those of getopt, and there may be many texts. */
const fish: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "cCdDfo",
    long: ["command", "init-command", "debug", "features"],
  });
  const texts = parsed.options.filter(({ name }) => ["c", "C", "command", "init-command"].includes(name));
  const scripts = texts.flatMap(({ value }): readonly Inner[] =>
    value === null ? [] : [{ kind: "script", script: value }],
  );
  if (parsed.isOpen) return [unknown(`has ${program} run ${parsed.operands[0]?.written ?? ""}`)];
  const [first] = parsed.operands;
  if (hasOption(parsed, "c", "command")) return scripts;
  return [...scripts, ...(first === undefined ? input : fileOf(first, program))];
};

/** They print settings of their own, or what a person has approved; what runs in them is a part of its own. */
const printsSettings: ReadonlySet<string> = new Set([
  "$(ssh-agent -s)",
  "$(ssh-agent)",
  "$(direnv export bash)",
]);

/** Those that are trusted to print them: no other meaning may be given to these names. */
export const printers: ReadonlySet<string> = new Set(["ssh-agent", "direnv"]);

const evaluate: FindInner = (args) => {
  const [first, ...rest] = args;
  if (args.length === 1 && first !== undefined && printsSettings.has(first.written)) return [];
  return joinedScript(first !== undefined && literalOf(first) === "--" ? rest : args);
};

const sourceFile: FindInner = (args, program) => {
  const [first] = args;
  if (first === undefined) return [];
  return /^-./.test(literalOf(first) ?? "")
    ? [unknown(`runs what stands in ${first.written}`)]
    : fileOf(first, program);
};

const trap: FindInner = (args) => {
  const { operands, isOpen, options } = parseOptions(args, {});
  const [action] = operands;
  if (action === undefined || options.length > 0) return [];
  if (isOpen) return [unknown(`has ${action.written} run later`)];
  return literalOf(action) === "-" ? [] : [{ kind: "script", script: action }];
};

/** A login as somebody: `-c TEXT`, else what the shell's input holds. */
const login: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "cCsgGwuT",
    long: ["command", "session-command", "shell", "group", "supp-group", "whitelist-environment", "user"],
    anywhere: true,
  });
  if (parsed.isOpen) return [unknown(`has ${program} run what is not known`)];
  if (hasOption(parsed, "u", "user")) return command(parsed.operands);
  const script = valueOf(parsed, "c", "command", "session-command", "C");
  if (script !== null) return [{ kind: "script", script }];
  const operands = parsed.operands.filter((word) => literalOf(word) !== "-");
  return operands.length > 1 ? [unknown(`has ${program} pass a shell what is not known`)] : input;
};

/** `sg GROUP [-c] TEXT` */
const otherGroup: FindInner = (args) => {
  const words = args.filter((word) => !/^-c?$/.test(literalOf(word) ?? "")).slice(1);
  return words.length === 0 ? input : joinedScript(words);
};

/** script(1): `-c TEXT`, or behind `--`, else a shell. */
const typescript: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "cEIOBTm",
    long: ["command", "echo", "log-in", "log-out", "log-io", "log-timing", "logging-format", "output-limit"],
    anywhere: true,
  });
  const script = valueOf(parsed, "c", "command");
  if (script !== null) return [{ kind: "script", script }];
  if (parsed.isOpen) return [unknown(`has ${program} run what is not known`)];
  return parsed.operands.length > 1 ? joinedScript(parsed.operands.slice(1)) : input;
};

const watch: FindInner = (args) => {
  const parsed = parseOptions(args, { letters: "nqs", long: ["interval", "equexit", "shotsdir"] });
  if (parsed.isOpen) return [unknown("has watch run what is not known")];
  return hasOption(parsed, "x", "exec") ? command(parsed.operands) : joinedScript(parsed.operands);
};

const flock: FindInner = (args) => {
  const parsed = parseOptions(args, { letters: "wE", long: ["timeout", "wait", "conflict-exit-code"] });
  const [, ...rest] = parsed.operands;
  const [first, script] = rest;
  if (parsed.isOpen) return [unknown("has flock run what is not known")];
  if (first === undefined) return [];
  const flag = literalOf(first);
  if (flag !== "-c" && flag !== "--command") return command(rest);
  return script === undefined ? [] : [{ kind: "script", script }];
};

const sshForms = { letters: "BbcDEeFIiJLlmOopQRSWwP" };

const ssh: FindInner = (args) => {
  const before = parseOptions(args, sshForms);
  // The host may be known only when it runs; behind it there may be more options.
  const behind = parseOptions(before.operands.slice(1), sshForms);
  const settings = [...before.options, ...behind.options].filter(
    ({ name, value }) => name === "o" && value !== null,
  );
  const started = settings.flatMap(({ value }): readonly Inner[] => {
    const text = value === null ? null : literalOf(value);
    if (text === null) return [unknown("gives ssh a setting that is not known")];
    const match = /^\s*(?:proxycommand|localcommand|knownhostscommand)\s*[= ]([^]*)$/i.exec(text);
    return match === null
      ? []
      : [{ kind: "script", script: { pieces: [match[1] ?? ""], written: match[1] ?? "", splits: false } }];
  });
  return [...started, ...joinedScript(behind.operands)];
};

/** The shells, and what hands a text to one, by program name. */
export const shellPrograms: ReadonlyMap<string, FindInner> = new Map<string, FindInner>([
  ...["bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "yash", "csh", "tcsh"].map(
    (name) => [name, shell] as const,
  ),
  ["fish", fish],
  ["sg", otherGroup],
  ["eval", evaluate],
  ["source", sourceFile],
  [".", sourceFile],
  ["trap", trap],
  ["su", login],
  ["runuser", login],
  ["script", typescript],
  ["watch", watch],
  ["flock", flock],
  ["ssh", ssh],
]);
