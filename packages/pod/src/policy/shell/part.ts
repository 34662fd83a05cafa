/** One part of a command: what rules over commands are matched against. */
import type { Piece } from "@yoi/manifest";
import { subcommandOf } from "./git.ts";
import { knownWord, literalOf, looseTextOf, type ShellWord, textOf, writtenOf } from "./shell-word.ts";

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

/** @param words the first one is a program's name, and known. */
export function partOf(words: readonly ShellWord[]): Part {
  const [first, ...args] = words;
  const name = first === undefined ? "" : (literalOf(first) ?? "");
  const program = programOf(name);
  const isPlain = program === name;
  const isSystem = isPlain || systemDirectories.has(name.slice(0, -program.length));
  const spellings = [spelling(words, "all")];
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

/** What a redirection writes: `> path`. */
export function writeOf(target: ShellWord): Part {
  const words = [knownWord(">"), target];
  return { written: writtenOf(words), spellings: [spelling(words, "all")] };
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
