/** Shells, and what has a shell read a text: where the text is. */
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, parseOptions, valueOf } from "./options.ts";
import { literalOf, type ShellWord } from "./shell-word.ts";

const input: readonly Inner[] = [{ kind: "input" }];

/** What a shell is given as a file, and is none: `-`, and what the system makes of open descriptors. */
function isInput(file: string): boolean {
  const [, root] = file.split("/");
  return file === "-" || (file.startsWith("/") && (root === "dev" || root === "proc"));
}

/** `bash -c TEXT`, `bash FILE` (which is not looked into), or what its input holds. */
const shell: FindInner = (args, program) => {
  // `+x` and `+o name` switch off what `-x` and `-o name` switch on.
  const signs = args.map((word): ShellWord => {
    const text = literalOf(word);
    return text !== null && /^\+[A-Za-z]/.test(text)
      ? { ...word, pieces: [`-${text.slice(1)}`], written: `-${text.slice(1)}` }
      : word;
  });
  const parsed = parseOptions(signs, { letters: "oO", long: ["rcfile", "init-file"] });
  const [first] = parsed.operands;
  if (hasOption(parsed, "c", "command")) {
    if (parsed.isOpen || first === undefined) return [unknown(`has ${program} run a text that is not known`)];
    return [{ kind: "script", script: first }];
  }
  if (hasOption(parsed, "version", "help")) return [];
  if (first === undefined || hasOption(parsed, "s")) return input;
  const file = literalOf(first);
  if (file === null) return [unknown(`has ${program} run ${first.written}`)];
  return isInput(file) ? input : [];
};

const evaluate: FindInner = (args) => {
  const [first, ...rest] = args;
  return joinedScript(first !== undefined && literalOf(first) === "--" ? rest : args);
};

const sourceFile: FindInner = (args) => [unknown(`runs what stands in ${args[0]?.written ?? "a file"}`)];

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
  ...["bash", "sh", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "yash", "fish"].map(
    (name) => [name, shell] as const,
  ),
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
