/** A word of a command line as it will reach the program: what is known of it before the command runs, and what is not. */
import type { Piece } from "@yoi/manifest";
import type { Assignment, CommandArgument, HereDocBody, Word, WordPart } from "unbash";

export interface ShellWord {
  /** Without quotes and escapes. */
  readonly pieces: readonly Piece[];
  /** The same for people: what is not known stands as it was written. */
  readonly written: string;
  /** Holds an expansion outside of quotes, of which a shell may make several words, or none. */
  readonly splits: boolean;
}

export function knownWord(text: string): ShellWord {
  return { pieces: [text], written: text, splits: false };
}

/** One that only a run shows, and that may be any number of words. */
export function unknownWord(written: string): ShellWord {
  return { pieces: [null], written, splits: true };
}

/** The whole text; null where a part of it is not known. */
export function literalOf({ pieces }: ShellWord): string | null {
  return pieces.includes(null) ? null : pieces.join("");
}

/** The name of a file in a directory that is not known; null where the name is not known either. */
export function fileNameOf({ pieces, written, splits }: ShellWord): string | null {
  const name = /\/([^/]+)$/.exec(pieces.at(-1) ?? "")?.[1];
  // A shell would make words of what is expanded outside of quotes; of a home it makes one.
  const isOne = !splits || (pieces.length === 2 && /^\$(?:HOME|\{HOME\})\//.test(written));
  return name === undefined || !isOne ? null : name;
}

export function wordOf(word: Word): ShellWord {
  return { ...piecesOf(word.parts, word.value), written: word.value };
}

/** Of an assignment: no pattern is matched with the names of files. */
export function assignedWord(word: Word): ShellWord {
  return { ...piecesOf(word.parts, word.value, true), written: word.value };
}

export function argumentWord(argument: CommandArgument): ShellWord {
  return argument.type === "Word" ? wordOf(argument) : assignmentWord(argument);
}

/** As a program such as `export` gets it. */
function assignmentWord({ name, index, append, value, text }: Assignment): ShellWord {
  if (index !== undefined || value.type === "ArrayValue")
    return { pieces: [name, null], written: text, splits: false };
  const { pieces, splits } = wordOf(value);
  return { pieces: merged([`${name}${append === true ? "+=" : "="}`, ...pieces]), written: text, splits };
}

export function hereDocWord(body: HereDocBody): ShellWord {
  return { ...piecesOf(body.parts, body.text), written: body.text };
}

function piecesOf(
  parts: readonly WordPart[] | undefined,
  value: string,
  isAssigned = false,
): Pick<ShellWord, "pieces" | "splits"> {
  if (parts === undefined) return { pieces: [value], splits: false };
  const pieces: Piece[] = [];
  let splits = false;
  for (const part of parts) {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        pieces.push(part.value);
        break;
      case "DoubleQuoted":
      case "LocaleString":
        pieces.push(...part.parts.map((child) => (child.type === "Literal" ? child.value : null)));
        break;
      case "Glob":
        pieces.push(isAssigned ? part.value : null);
        break;
      case "ExtendedGlob":
      case "BraceExpansion":
      case "ArithmeticExpansion":
      case "ProcessSubstitution":
        pieces.push(null);
        break;
      case "SimpleExpansion":
      case "ParameterExpansion":
      case "CommandExpansion":
        pieces.push(null);
        splits = true;
        break;
    }
  }
  return { pieces: merged(pieces), splits };
}

/** No two known pieces stand beside each other. */
function merged(pieces: readonly Piece[]): readonly Piece[] {
  const found: Piece[] = [];
  for (const piece of pieces) {
    const last = found.at(-1);
    if (piece === null || typeof last !== "string") found.push(piece);
    else found[found.length - 1] = last + piece;
  }
  return found;
}

/** Words joined by one blank, as rules see them. */
export function textOf(words: readonly ShellWord[]): readonly Piece[] {
  return words.flatMap(({ pieces }, index) => (index === 0 ? pieces : [" ", ...pieces]));
}

/** The same for asking what it might be: a word of which nothing is known may be none, and then its blank is none either. */
export function looseTextOf(words: readonly ShellWord[]): readonly Piece[] {
  const isOpen = (word: ShellWord | undefined): boolean =>
    word?.pieces.every((piece) => piece === null) ?? false;
  return words.flatMap((word, index) =>
    index === 0 || isOpen(word) || isOpen(words[index - 1]) ? word.pieces : [" ", ...word.pieces],
  );
}

export function writtenOf(words: readonly ShellWord[]): string {
  return words.map(({ written }) => written).join(" ");
}
