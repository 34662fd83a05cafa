/** One part of a command: what rules over commands are matched against. */
import type { Piece } from "@yoi/manifest";
import { subcommandOf } from "./git.ts";
import { knownWord, literalOf, looseTextOf, type ShellWord, textOf, writtenOf } from "./shell-word.ts";

/** A text that says what a part does. */
export interface Spelling {
  readonly text: readonly Piece[];
  /** For asking what it might be: `text` with open words that may be none. */
  readonly loose: readonly Piece[];
  readonly written: string;
  /** An allow may be meant by it: it does no less than the part as it was written. */
  readonly mayAllow: boolean;
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

/** @param words the first one is a program's name, and known. */
export function partOf(words: readonly ShellWord[]): Part {
  const [first, ...args] = words;
  const name = first === undefined ? "" : (literalOf(first) ?? "");
  const program = programOf(name);
  const isPlain = program === name;
  const isSystem = isPlain || systemDirectories.has(name.slice(0, -program.length));
  const spellings = [spelling(words, true)];
  if (!isPlain) spellings.push(spelling([knownWord(program), ...args], isSystem));
  const stripped = program === "git" ? subcommandOf(args) : null;
  if (stripped !== null)
    spellings.push(spelling([knownWord(program), ...stripped.words], isSystem && stripped.isSame));
  // git's own directory holds a program for each subcommand.
  const subcommand = /^git-(.+)/.exec(program)?.[1];
  if (subcommand !== undefined)
    spellings.push(spelling([knownWord("git"), knownWord(subcommand), ...args], false));
  return { written: writtenOf(words), spellings };
}

/** What a redirection writes: `> path`. */
export function writeOf(target: ShellWord): Part {
  const words = [knownWord(">"), target];
  return { written: writtenOf(words), spellings: [spelling(words, true)] };
}

function spelling(words: readonly ShellWord[], mayAllow: boolean): Spelling {
  return { text: textOf(words), loose: looseTextOf(words), written: writtenOf(words), mayAllow };
}
