/** Options before the operands of a program, as getopt reads them. */
import { literalOf, type ShellWord } from "./shell-word.ts";

export interface OptionForms {
  /** Letters of options whose value is the rest of the word, or the next one. */
  readonly letters?: string;
  /** Long options with a value, without the dashes. */
  readonly long?: readonly string[];
  /** Options may also stand behind operands. */
  readonly anywhere?: boolean;
}

export interface Option {
  /** A letter, or the long name. */
  readonly name: string;
  readonly value: ShellWord | null;
}

export interface ParsedOptions {
  readonly options: readonly Option[];
  readonly operands: readonly ShellWord[];
  /** A word that is not known stands where it may be an option. */
  readonly isOpen: boolean;
}

export function parseOptions(args: readonly ShellWord[], forms: OptionForms): ParsedOptions {
  const options: Option[] = [];
  const operands: ShellWord[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const text = literalOf(word);
    if (text === null && !startsWithText(word))
      return { options, operands: [...operands, ...args.slice(at)], isOpen: true };
    if (text === "--") return { options, operands: [...operands, ...args.slice(at + 1)], isOpen: false };
    const written = text ?? word.written;
    if (!/^-./.test(written)) {
      if (forms.anywhere !== true)
        return { options, operands: [...operands, ...args.slice(at)], isOpen: false };
      operands.push(word);
      continue;
    }
    const found = written.startsWith("--")
      ? longOption(word, written, forms)
      : lettersOf(word, written, forms);
    options.push(...found.options);
    if (found.wants !== null) {
      options.push({ name: found.wants, value: args[at + 1] ?? null });
      at += 1;
    }
  }
  return { options, operands, isOpen: false };
}

export function valueOf({ options }: ParsedOptions, ...names: readonly string[]): ShellWord | null {
  return options.find(({ name }) => names.includes(name))?.value ?? null;
}

export function hasOption({ options }: ParsedOptions, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

function startsWithText({ pieces }: ShellWord): boolean {
  return typeof pieces[0] === "string" && pieces[0] !== "";
}

interface Found {
  readonly options: readonly Option[];
  /** The option whose value is the next word. */
  readonly wants: string | null;
}

/** A long option may be cut short as long as it is clear. */
function longOption(word: ShellWord, written: string, { long = [] }: OptionForms): Found {
  const equals = written.indexOf("=");
  const given = written.slice(2, equals === -1 ? undefined : equals);
  const name =
    long.find((known) => known === given) ?? long.find((known) => known.startsWith(given)) ?? given;
  if (equals !== -1) return { options: [{ name, value: behind(word, equals + 1) }], wants: null };
  return long.includes(name)
    ? { options: [], wants: name }
    : { options: [{ name, value: null }], wants: null };
}

function lettersOf(word: ShellWord, written: string, { letters = "" }: OptionForms): Found {
  const options: Option[] = [];
  for (let at = 1; at < written.length; at += 1) {
    const name = written.charAt(at);
    if (!letters.includes(name)) options.push({ name, value: null });
    else if (at + 1 === written.length) return { options, wants: name };
    else return { options: [...options, { name, value: behind(word, at + 1) }], wants: null };
  }
  return { options, wants: null };
}

/** What stands behind the first `count` characters of a word, which are known or make the whole unknown. */
function behind({ pieces, written, splits }: ShellWord, count: number): ShellWord {
  const [first = null, ...rest] = pieces;
  if (first === null || first.length < count)
    return { pieces: [null], written: written.slice(count), splits };
  return { pieces: [first.slice(count), ...rest], written: written.slice(count), splits };
}
