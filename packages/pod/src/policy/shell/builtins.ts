/** Builtins of a shell that change what its other commands are, or expand what they are given. */
import { type FindInner, type Inner, unknown } from "./inner.ts";
import { hasOption, parseOptions, valueOf } from "./options.ts";
import { assignmentsAmong } from "./runners.ts";
import { knownWord, literalOf, type ShellWord } from "./shell-word.ts";
import { printers } from "./shells.ts";
import { assignmentIn, roleOf, runsWhenExpanded } from "./variables.ts";

/** Such as `export NAME=value`. */
const declare: FindInner = (args, program) => [
  ...args.flatMap((word): readonly Inner[] =>
    program !== "export" && /^-[A-Za-z]*n/.test(literalOf(word) ?? "")
      ? [unknown(`gives a variable another name with ${program} ${word.written}`)]
      : [],
  ),
  ...args.flatMap((word): readonly Inner[] =>
    word.pieces[0] === null || word.pieces[0] === "" ? [unknown(`has ${program} set what is not known`)] : [],
  ),
  ...assignmentsAmong(args).filter(
    (inner) => inner.kind === "assignment" && inner.word.written.includes("="),
  ),
  ...subscripts(args),
];

/** Such as `read NAME`: which name it is counts, what it gets is not known. */
const fill: FindInner = (args, program) => [
  ...args.flatMap((word): readonly Inner[] => {
    const name = assignmentIn(literalOf(word) ?? "")?.name ?? "";
    return roleOf(name) === null ? [] : [unknown(`has ${program} set ${name}`)];
  }),
  ...subscripts(args),
];

/** A subscript in a text is expanded although it stands in quotes. */
function subscripts(args: readonly ShellWord[]): readonly Inner[] {
  return args.flatMap((word): readonly Inner[] => {
    const text = literalOf(word);
    return text !== null && runsWhenExpanded(text) ? [{ kind: "expansion", text }] : [];
  });
}

/** What is not set changes nothing: a program finds what it finds without it. */
const unset: FindInner = (args) => subscripts(args);

const printf: FindInner = (args, program) => {
  const name = valueOf(parseOptions(args, { letters: "v" }), "v");
  const isOpen = name !== null && literalOf(name) === null;
  return [...(isOpen ? [unknown(`has printf set ${name.written}`)] : []), ...fill(args, program)];
};

const mapfile: FindInner = (args, program) => {
  const script = valueOf(parseOptions(args, { letters: "CcdnOsu" }), "C");
  return [...(script === null ? [] : [{ kind: "script", script } as const]), ...fill(args, program)];
};

/** The name then stands for that text; it gets more words. */
const alias: FindInner = (args) =>
  args.flatMap((word): readonly Inner[] => {
    const text = literalOf(word);
    if (text === null) return [unknown(`gives a command another name with alias ${word.written}`)];
    const [, name = "", value] = /^([^=]+)=([^]*)$/.exec(text) ?? [];
    if (value !== undefined && printers.has(name)) return [unknown(`says what ${name} is`)];
    return value === undefined ? [] : [{ kind: "template", script: knownWord(value) }];
  });

const hash: FindInner = (args) =>
  hasOption(parseOptions(args, { letters: "p" }), "p")
    ? [unknown("says with hash -p what a name stands for")]
    : [];

const enable: FindInner = (args) =>
  args.length === 0 ? [] : [unknown("says with enable what a name stands for")];

const set: FindInner = (args) => {
  const { options, operands } = parseOptions(args, {});
  const words = [...options.map(({ name }) => name), ...operands.map((word) => literalOf(word) ?? "")];
  return words.some((word) => ["H", "k", "histexpand", "keyword"].includes(word))
    ? [unknown("changes with set how the shell reads what follows")]
    : [];
};

const runsUnknown: FindInner = (_args, program) => [unknown(`has ${program} run what is not known`)];
const readsInput: FindInner = () => [{ kind: "input" }];

/** By name. */
export const builtinCommands: ReadonlyMap<string, FindInner> = new Map<string, FindInner>([
  ...["export", "declare", "typeset", "readonly", "local"].map((name) => [name, declare] as const),
  ...["read", "getopts", "let", "test", "[", "wait"].map((name) => [name, fill] as const),
  ["unset", unset],
  ["printf", printf],
  ["mapfile", mapfile],
  ["readarray", mapfile],
  ["alias", alias],
  ["hash", hash],
  ["enable", enable],
  ["set", set],
  ...["fc", "compgen", "complete", "bind"].map((name) => [name, runsUnknown] as const),
  ...["at", "batch"].map((name) => [name, readsInput] as const),
]);
