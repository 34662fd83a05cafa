/** Programs that run the program which their arguments name: where its name stands. */
import { command, type FindInner, type Inner, joinedScript, unknown } from "./inner.ts";
import { hasOption, type OptionForms, parseOptions, valueOf } from "./options.ts";
import {
  envForms,
  loosePrograms,
  parallelForms,
  prefixPrograms,
  sudoForms,
  xargsForms,
} from "./runner-options.ts";
import { knownWord, literalOf, type ShellWord, unknownWord } from "./shell-word.ts";
import { assignmentIn } from "./variables.ts";

/** `PROGRAM [options] [operands] COMMAND ...` */
function prefix(forms: OptionForms, operandsBefore: number): FindInner {
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

const env: FindInner = (args, program) => environment(args, program, false);

function environment(args: readonly ShellWord[], program: string, isSplit: boolean): readonly Inner[] {
  const dashless = args.filter((word) => literalOf(word) !== "-");
  const parsed = parseOptions(dashless, envForms);
  const text = valueOf(parsed, "S", "split-string");
  if (text === null) return assignmentsThen(parsed.operands, program);
  // It splits the text in a way of its own, and reads what comes of it as its own arguments.
  const words = /^[\w./:=@%+, -]*$/.test(literalOf(text) ?? "'") ? (literalOf(text) ?? "").split(" ") : null;
  if (words === null || isSplit) return [unknown(`has ${program} take ${text.written} apart`)];
  const split = words.filter((word) => word !== "").map(knownWord);
  return environment([...split, ...parsed.operands], program, true);
}

const sudo: FindInner = (args, program) => {
  const parsed = parseOptions(args, sudoForms);
  if (parsed.operands.length === 0)
    return hasOption(parsed, "s", "i", "shell", "login") ? [{ kind: "input" }] : [];
  return assignmentsThen(parsed.operands, program);
};

const xargs: FindInner = (args, program) => {
  const parsed = parseOptions(args, xargsForms);
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
function untilSemicolon(flags: RegExp, ends: ReadonlySet<string>, addsPath: boolean): FindInner {
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
      const flag = flags.exec(text ?? "");
      if (flag === null) continue;
      const begin = at + 1;
      do at += 1;
      while (at < args.length && !ends.has(literalOf(args[at] ?? word) ?? ""));
      const attached = flag[1] === undefined || flag[1] === "" ? [] : [knownWord(flag[1])];
      const words = withPlaceholders([...attached, ...args.slice(begin, at)], "{}");
      const path = addsPath && words.length > 0 ? [unknownWord("<path>")] : [];
      found.push(...command([...words, ...path]));
    }
    return found;
  };
}

const parallel: FindInner = (args, program) => {
  const parsed = parseOptions(args, parallelForms);
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

const find = untilSemicolon(/^-(?:exec|ok)(?:dir)?$/, new Set([";", "+"]), false);
const fd = untilSemicolon(
  /^(?:-[HIugsiaLFlpq01]*[xX]|--exec(?:-batch)?(?:=|$))([^]*)$/,
  new Set([";"]),
  true,
);

/** Each word that is no option may be where the command begins. */
const loose: FindInner = (args) =>
  args.flatMap((word, at) => (/^-/.test(literalOf(word) ?? "") ? [] : command(args.slice(at))));

/** With a command, the program runs it; without the option it only shows. */
const jobs: FindInner = (args) => {
  const parsed = parseOptions(args, {});
  return hasOption(parsed, "x") ? command(parsed.operands) : [];
};

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
  ["jobs", jobs],
  ...loosePrograms.map((name) => [name, loose] as const),
  ...prefixPrograms.flatMap(({ names, operandsBefore = 0, ...forms }) =>
    names.map((name) => [name, prefix(forms, operandsBefore)] as const),
  ),
]);

/** The name before `=`, for who takes `NAME=value` among its arguments. */
export function assignmentsAmong(args: readonly ShellWord[]): readonly Inner[] {
  return args.flatMap((word): readonly Inner[] => {
    const text = literalOf(word) ?? (typeof word.pieces[0] === "string" ? word.pieces[0] : null);
    return text !== null && assignmentIn(text) !== null ? [{ kind: "assignment", word }] : [];
  });
}
