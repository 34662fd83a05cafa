/** What a program that runs other programs is about to run. */
import type { ShellWord } from "./shell-word.ts";

export type Inner =
  /** A program and its arguments. */
  | { readonly kind: "command"; readonly words: readonly ShellWord[] }
  /** A text that a shell reads. */
  | { readonly kind: "script"; readonly script: ShellWord }
  /** The same with arguments behind it that are not known. */
  | { readonly kind: "template"; readonly script: ShellWord }
  /** A shell that reads what its input holds; `ifKnown`: only where the command itself holds that text. */
  | { readonly kind: "input"; readonly ifKnown?: true }
  /** A text that a shell expands, and with it runs what it substitutes. */
  | { readonly kind: "expansion"; readonly text: string }
  | { readonly kind: "assignment"; readonly word: ShellWord }
  /** `clause` ends the sentence "the command ...". */
  | { readonly kind: "unknown"; readonly clause: string };

/** @param args the words behind the program's name. */
export type FindInner = (args: readonly ShellWord[], program: string) => readonly Inner[];

export function unknown(clause: string): Inner {
  return { kind: "unknown", clause };
}

/** Nothing where there are no words. */
export function command(words: readonly ShellWord[]): readonly Inner[] {
  return words.length === 0 ? [] : [{ kind: "command", words }];
}

/** Words that a program joins by blanks and has a shell read. */
export function joinedScript(words: readonly ShellWord[]): readonly Inner[] {
  if (words.length === 0) return [];
  const pieces = words.flatMap((word, index) => (index === 0 ? word.pieces : [" ", ...word.pieces]));
  const written = words.map((word) => word.written).join(" ");
  return [{ kind: "script", script: { pieces, written, splits: false } }];
}
