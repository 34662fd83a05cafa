/** One part of a command: what rules over commands are matched against. */
import { isAbsolute, normalize, relative, resolve } from "node:path/posix";
import type { Piece } from "@yoi/manifest";
import { subcommandOf } from "./git.ts";
import {
  fileNameOf,
  knownWord,
  literalOf,
  looseTextOf,
  type ShellWord,
  textOf,
  unknownWord,
  writtenOf,
} from "./shell-word.ts";

/** A text that says what a part does. */
export interface Spelling {
  readonly text: readonly Piece[];
  /** The same where some of it is not known: for asking what it might be, with words that may be none, and as it was written. */
  readonly open: { readonly loose: readonly Piece[]; readonly written: string } | null;
  /** `refuse`: no allow may be meant by it, as it does more than the part as it was written. `allow`: only an allow may be. */
  readonly use: "all" | "allow" | "refuse";
}

export interface Part {
  /** For people. */
  readonly written: string;
  readonly spellings: readonly Spelling[];
}

/** Where no Pod can put a program of its own. */
const systemDirectories: ReadonlySet<string> = new Set([
  "/bin/",
  "/sbin/",
  "/usr/bin/",
  "/usr/sbin/",
  "/usr/local/bin/",
]);

/** Without the directory. */
export function programOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** @param words the first one is a program's name, of which the last segment is known. */
export function partOf(words: readonly ShellWord[]): Part {
  const [first, ...args] = words;
  const name = first === undefined ? "" : literalOf(first);
  const program = programOf(name ?? (first === undefined ? "" : (fileNameOf(first) ?? "")));
  const isPlain = program === name;
  const isSystem = name !== null && (isPlain || systemDirectories.has(name.slice(0, -program.length)));
  const spellings = name === null ? inSomeDirectory(words, program) : [spelling(words, "all")];
  if (!isPlain) spellings.push(spelling([knownWord(program), ...args], isSystem ? "all" : "refuse"));
  const stripped = program === "git" ? subcommandOf(args) : null;
  if (stripped !== null)
    spellings.push(
      spelling([knownWord(program), ...stripped.words], isSystem && stripped.isSame ? "all" : "refuse"),
    );
  // git's own directory holds a program for each subcommand.
  const subcommand = /^git-(.+)/.exec(program)?.[1];
  if (subcommand !== undefined)
    spellings.push(spelling([knownWord("git"), knownWord(subcommand), ...args], "refuse"));
  return { written: writtenOf(words), spellings };
}

/** A path is all that a directory can be. */
function inSomeDirectory(words: readonly ShellWord[], program: string): Spelling[] {
  const [, ...args] = words;
  const within = (root: string): ShellWord => ({
    pieces: [root, null, `/${program}`],
    written: `${root}.../${program}`,
    splits: false,
  });
  return [
    spelling(words, "allow"),
    ...["/", "./", "../"].map((root) => spelling([within(root), ...args], "refuse")),
  ];
}

/** `NAME=value` */
export function assignmentOf(word: ShellWord): Part {
  return { written: word.written, spellings: [spelling([word], "all")] };
}

/** What a redirection writes: `> path`, as it was written and in normal form; links are not looked up. */
export function writeOf(target: ShellWord, workspace: string): Part {
  const to = (path: string): readonly ShellWord[] => [knownWord(">"), knownWord(path)];
  const words = [knownWord(">"), target];
  const written = writtenOf(words);
  const path = literalOf(target);
  if (path === null) return { written, spellings: openWrites(words, target) };
  const normal = normalize(path);
  const spellings = [spelling(to(normal), "all")];
  if (normal !== path) spellings.push(spelling(words, "refuse"));
  const inside = relative(workspace, normal);
  if (isAbsolute(normal)) {
    if (inside !== "" && !/^\.\.(?:\/|$)/.test(inside)) spellings.push(spelling(to(inside), "all"));
    // Where a relative one leads is not sure: the command may be elsewhere by then.
  } else if (!normal.startsWith("~")) spellings.push(spelling(to(resolve(workspace, normal)), "refuse"));
  return { written, spellings };
}

/** What is not known may lead out of the directory before it. */
function openWrites(words: readonly ShellWord[], target: ShellWord): readonly Spelling[] {
  const anywhere = { ...target, pieces: target.pieces.slice(target.pieces.indexOf(null)) };
  return [
    spelling([knownWord(">"), unknownWord(target.written)], "allow"),
    spelling(words, "refuse"),
    spelling([knownWord(">"), anywhere], "refuse"),
  ];
}

function spelling(words: readonly ShellWord[], use: Spelling["use"]): Spelling {
  const text = textOf(words);
  const open = text.includes(null) ? { loose: looseTextOf(words), written: writtenOf(words) } : null;
  return { text, open, use };
}

/** How many characters there are to match against each rule. */
export function charsOf({ spellings }: Part): number {
  const count = (pieces: readonly Piece[]): number =>
    pieces.reduce((sum, piece) => sum + (piece?.length ?? 1), 0);
  return spellings.reduce(
    (sum, { text, open }) =>
      sum + count(text) + (open === null ? 0 : count(open.loose) + open.written.length),
    0,
  );
}
