/** Programs that run the program which their arguments name: where its name stands. */
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, type OptionForms, parseOptions, valueOf } from "./options.ts";
import { knownWord, literalOf, type ShellWord, unknownWord } from "./shell-word.ts";
import { assignmentIn } from "./variables.ts";

/** `PROGRAM [options] [operands] COMMAND ...` */
function prefix(forms: OptionForms = {}, operandsBefore = 0): FindInner {
  return (args, program) => {
    const { operands, isOpen } = parseOptions(args, forms);
    const behind = operands.slice(operandsBefore);
    if (isOpen || operands.slice(0, operandsBefore).some((word) => literalOf(word) === null))
      return [unknown(`has ${program} run what is not known`)];
    return command(behind);
  };
}

/** `NAME=value ... COMMAND`: the assignments and the command behind them. */
function assignmentsThen(words: readonly ShellWord[], program: string): readonly Inner[] {
  const isAssignment = (word: ShellWord): boolean =>
    /^[^=]+=/.test(literalOf(word) ?? String(word.pieces[0] ?? ""));
  const first = words.findIndex((word) => !isAssignment(word));
  const assignments = (first === -1 ? words : words.slice(0, first)).map((word): Inner => ({
    kind: "assignment",
    word,
  }));
  const behind = first === -1 ? [] : words.slice(first);
  if (behind[0] !== undefined && literalOf(behind[0]) === null)
    return [...assignments, unknown(`has ${program} run ${behind[0].written}`)];
  return [...assignments, ...command(behind)];
}

const env: FindInner = (args, program) => {
  const dashless = args.filter((word) => literalOf(word) !== "-");
  const parsed = parseOptions(dashless, {
    letters: "uCSa",
    long: ["unset", "chdir", "split-string", "argv0"],
  });
  const split = valueOf(parsed, "S", "split-string");
  if (split !== null) return joinedScript([split, ...parsed.operands]);
  return assignmentsThen(parsed.operands, program);
};

const sudo: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "CDghpRrTtUua",
    long: [
      "close-from",
      "chdir",
      "group",
      "host",
      "prompt",
      "chroot",
      "role",
      "command-timeout",
      "type",
      "other-user",
      "user",
    ],
  });
  if (parsed.operands.length === 0)
    return hasOption(parsed, "s", "i", "shell", "login") ? [{ kind: "input" }] : [];
  return assignmentsThen(parsed.operands, program);
};

const xargs: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "adEILnPs",
    long: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
  });
  const { operands, isOpen } = parsed;
  if (isOpen) return [unknown(`has ${program} run ${operands[0]?.written ?? "what is not known"}`)];
  const attached = args.find((word) => /^-i./.test(literalOf(word) ?? ""));
  const placeholder =
    valueOf(parsed, "I", "replace") ?? (attached === undefined ? null : knownWord(attached.written.slice(2)));
  const replaces = hasOption(parsed, "I", "i", "replace");
  if (operands.length === 0) return [];
  if (!replaces) return command([...operands, unknownWord("<input>")]);
  return command(withPlaceholders(operands, placeholder === null ? "{}" : literalOf(placeholder)));
};

/** Words in which `placeholder` stands for what is known only when it runs; null: any word may hold it. */
function withPlaceholders(words: readonly ShellWord[], placeholder: string | null): readonly ShellWord[] {
  return words.map((word) =>
    placeholder === null || word.written.includes(placeholder)
      ? {
          pieces: placeholder === null || placeholder === "" ? [null] : split(word, placeholder),
          written: word.written,
          splits: false,
        }
      : word,
  );
}

function split({ pieces }: ShellWord, placeholder: string): readonly (string | null)[] {
  return pieces.flatMap((piece) =>
    piece === null
      ? [null]
      : piece.split(placeholder).flatMap((text, index) => (index === 0 ? [text] : [null, text])),
  );
}

/** Each of `find`'s or `fd`'s options that take a command up to `;` or `+`. */
function untilSemicolon(flags: ReadonlySet<string>, ends: ReadonlySet<string>): FindInner {
  return (args, program) => {
    const found: Inner[] = [];
    let inExpression = false;
    for (let at = 0; at < args.length; at += 1) {
      const word = args[at];
      if (word === undefined) break;
      const text = literalOf(word);
      if (text === null && word.splits && inExpression)
        found.push(unknown(`gives ${program} ${word.written}, which may be a command to run`));
      if (text !== null && /^[-(!]/.test(text)) inExpression = true;
      if (text === null || !flags.has(text)) continue;
      const begin = at + 1;
      do at += 1;
      while (at < args.length && !ends.has(literalOf(args[at] ?? word) ?? ""));
      found.push(...command(withPlaceholders(args.slice(begin, at), "{}")));
    }
    return found;
  };
}

const parallel: FindInner = (args, program) => {
  const parsed = parseOptions(args, {
    letters: "jNnLsaIPSdECU",
    long: [
      "jobs",
      "max-args",
      "arg-file",
      "colsep",
      "delay",
      "joblog",
      "results",
      "retries",
      "sshlogin",
      "timeout",
      "tmpdir",
      "workdir",
    ],
  });
  const sources = parsed.operands.findIndex((word) => /^:::/.test(literalOf(word) ?? ""));
  const words = sources === -1 ? parsed.operands : parsed.operands.slice(0, sources);
  if (parsed.isOpen || words.length === 0) return [unknown(`has ${program} run what its input holds`)];
  const holes = words.map((word) =>
    /\{[^}]*\}/.test(word.written) ? { ...word, pieces: [null], splits: true } : word,
  );
  // A shell reads it: both as one command that gets more words, and for what the text itself holds.
  return [...command([...holes, unknownWord("<input>")]), ...joinedScript(words)];
};

const commandBuiltin: FindInner = (args, program) => {
  const parsed = parseOptions(args, {});
  if (hasOption(parsed, "v", "V")) return [];
  return parsed.isOpen
    ? [unknown(`has ${program} run ${parsed.operands[0]?.written ?? ""}`)]
    : command(parsed.operands);
};

const findEnds: ReadonlySet<string> = new Set([";", "+"]);
const find = untilSemicolon(new Set(["-exec", "-execdir", "-ok", "-okdir"]), findEnds);
const fd = untilSemicolon(new Set(["-x", "-X", "--exec", "--exec-batch"]), new Set([";"]));

/** By program name. */
export const runnerPrograms: ReadonlyMap<string, FindInner> = new Map<string, FindInner>([
  ["env", env],
  ["sudo", sudo],
  ["doas", sudo],
  ["xargs", xargs],
  ["parallel", parallel],
  ["find", find],
  ["fd", fd],
  ["fdfind", fd],
  ["command", commandBuiltin],
  ["builtin", prefix()],
  ["exec", prefix({ letters: "a" })],
  ["timeout", prefix({ letters: "ks", long: ["kill-after", "signal"] }, 1)],
  ["nice", prefix({ letters: "n", long: ["adjustment"] })],
  ["nohup", prefix()],
  ["setsid", prefix()],
  ["stdbuf", prefix({ letters: "ioe", long: ["input", "output", "error"] })],
  ["time", prefix({ letters: "fo", long: ["format", "output"] })],
  ["ionice", prefix({ letters: "cnpPu", long: ["class", "classdata", "pid", "pgid", "uid"] })],
  ["chrt", prefix({ letters: "TPDp", long: ["sched-runtime", "sched-period", "sched-deadline"] }, 1)],
  ["taskset", prefix({}, 1)],
  ["chroot", prefix({ long: ["userspec", "groups"] }, 1)],
  [
    "unshare",
    prefix({
      letters: "SGRw",
      long: [
        "setuid",
        "setgid",
        "root",
        "wd",
        "propagation",
        "setgroups",
        "map-user",
        "map-group",
        "map-users",
        "map-groups",
      ],
    }),
  ],
  ["nsenter", prefix({ letters: "tSGW", long: ["target", "setuid", "setgid", "wdns"] })],
  [
    "setpriv",
    prefix({
      long: [
        "ambient-caps",
        "inh-caps",
        "bounding-set",
        "ruid",
        "euid",
        "rgid",
        "egid",
        "reuid",
        "regid",
        "groups",
        "securebits",
        "pdeathsig",
        "selinux-label",
        "apparmor-profile",
      ],
    }),
  ],
  ["strace", prefix({ letters: "abeEIoOpPsSuUX" })],
  ["ltrace", prefix({ letters: "aADeFlnoprsuwx" })],
  ["setarch", prefix({}, 1)],
  ["busybox", prefix()],
  ["toybox", prefix()],
  ...[
    "linux32",
    "linux64",
    "unbuffer",
    "eatmydata",
    "fakeroot",
    "dbus-run-session",
    "chronic",
    "torsocks",
    "proxychains4",
    "caffeinate",
  ].map((name) => [name, prefix()] as const),
]);

/** The name before `=`, for who takes `NAME=value` among its arguments. */
export function assignmentsAmong(args: readonly ShellWord[]): readonly Inner[] {
  return args.flatMap((word): readonly Inner[] => {
    const text = literalOf(word) ?? (typeof word.pieces[0] === "string" ? word.pieces[0] : null);
    return text !== null && assignmentIn(text) !== null ? [{ kind: "assignment", word }] : [];
  });
}
