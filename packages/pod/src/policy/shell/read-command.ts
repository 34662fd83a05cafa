/** Reads a command as a shell would, and takes it apart: every simple command anywhere in it, and what they run in turn. */
import type { Assignment, Command, Redirection, SyntaxNode, Word } from "unbash";
import { builtinCommands } from "./builtins.ts";
import { git } from "./git.ts";
import { evaluates, evaluatesArguments, mayBeJoined } from "./evaluation.ts";
import type { FindInner, Inner } from "./inner.ts";
import { assignmentOf, partOf, programOf, writeOf } from "./part.ts";
import { type CommandReading, Reading, TooMuch } from "./reading.ts";
import { runnerPrograms } from "./runners.ts";
import { printers, shellPrograms } from "./shells.ts";
import {
  argumentWord,
  assignedWord,
  fileNameOf,
  hereDocWord,
  knownWord,
  literalOf,
  type ShellWord,
  wordOf,
} from "./shell-word.ts";
import { unreadOf } from "./unread.ts";
import { assignmentIn, isHarmless, isHarmlessValue, roleOf, runsWhenExpanded } from "./variables.ts";

/** The grammar takes longer than in proportion to read many. */
export const hereDocsMax = 256;

/** What is needed of the grammar. */
export type ShellGrammar = Pick<typeof import("unbash"), "forEachChild" | "parse">;

/** Never throws: what cannot be read is unknown. */
export function readCommand(text: string, workspace: string, grammar: ShellGrammar): CommandReading {
  return new CommandReader(workspace, grammar).read(text);
}

const findInner: ReadonlyMap<string, FindInner> = new Map([
  ...runnerPrograms,
  ...shellPrograms,
  ...builtinCommands,
  ["git", git],
]);

class CommandReader {
  readonly #workspace: string;
  readonly #grammar: ShellGrammar;
  readonly #reading = new Reading();
  /** Texts of the command that would run something if they were expanded once more, and whether it expands any. */
  readonly #held: string[] = [];
  #evaluates = false;
  /** The first assignment of half such a text. */
  #joins: string | null = null;

  constructor(workspace: string, grammar: ShellGrammar) {
    this.#workspace = workspace;
    this.#grammar = grammar;
  }

  read(text: string): CommandReading {
    try {
      this.#script(text);
      if (this.#evaluates) this.#expandHeld();
    } catch (error) {
      if (error instanceof TooMuch) this.#reading.unknown(error.message);
      // A grammar that fails, also by the depth of its recursion, has not read the command.
      else
        this.#reading.unknown(
          `cannot be read (${error instanceof Error ? error.message : "the reader failed"})`,
        );
    }
    return this.#reading.result;
  }

  #script(text: string): void {
    if (text.includes("\0")) return this.#reading.unknown("holds a NUL character");
    if (text.split("<<").length > hereDocsMax + 1)
      return this.#reading.unknown(`holds more than ${hereDocsMax} here-documents`);
    if (this.#reading.isWithin(text.length)) this.#visit(this.#grammar.parse(text));
  }

  readonly #visit = (node: SyntaxNode): void => {
    if (node.type === "Script" && unreadOf(node) !== null) return this.#check(node);
    switch (node.type) {
      // The grammar reads these when they are looked into.
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
      case "ArithmeticExpansion":
      case "ParameterExpansion":
        if (this.#reading.isWithin(node.text.length)) this.#reading.nested(() => this.#descend(node));
        return;
      default:
        break;
    }
    this.#descend(node);
  };

  #descend(node: SyntaxNode): void {
    this.#check(node);
    this.#grammar.forEachChild(node, this.#visit);
  }

  #check(node: SyntaxNode): void {
    this.#evaluates ||= evaluates(node);
    const unread = unreadOf(node);
    if (unread !== null) this.#reading.unknown(unread);
    switch (node.type) {
      case "Command":
        return this.#command(node);
      case "Assignment":
        return this.#assignment(node);
      case "Redirect":
      case "HereString":
      case "HereDoc":
        return this.#redirection(node);
      case "For":
      case "Select": {
        for (const word of node.wordlist ?? []) this.#hold(wordOf(word));
        const name = literalOf(wordOf(node.name)) ?? "";
        if (roleOf(name) !== null) this.#reading.unknown(`sets ${name}`);
        return;
      }
      case "TestUnary":
        return this.#expanded(node.operand);
      case "TestBinary":
        if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
        this.#expanded(node.left);
        return this.#expanded(node.right);
      case "Function":
        if (printers.has(literalOf(wordOf(node.name)) ?? ""))
          this.#reading.unknown(`says what ${node.name.text} is`);
        return;
      case "ParameterExpansion": {
        const { operation, parameter } = node;
        if (operation?.type === "Default") this.#holdText(operation.operand);
        if (operation?.type === "Replace") this.#holdText(operation.replacement);
        const sets = operation?.type === "Default" && operation.operator.endsWith("=");
        if (sets && roleOf(parameter) !== null) this.#reading.unknown(`sets ${parameter}`);
        return this.#expanded(node.index);
      }
      case "Slice":
        this.#expanded(node.offset);
        return this.#expanded(node.length);
      case "ArithmeticWord":
        if (runsWhenExpanded(node.value)) this.#expansion(node.value);
        return;
      default:
        return;
    }
  }

  #command({ name, args, prefix, redirects }: Command): void {
    for (const node of prefix) if (node.type === "Assignment") this.#setting(node, name !== undefined);
    if (name !== undefined) this.#simple([wordOf(name), ...args.map(argumentWord)], redirects);
  }

  /** A variable that changes what runs, or may do so where the program gets it, is a part of its own. */
  #setting(node: Assignment, isOfProgram: boolean): void {
    if (roleOf(node.name) !== null || (isOfProgram && !isHarmless(node.name)))
      this.#reading.push(assignmentOf(argumentWord(node)));
  }

  /** @param input the redirections that it runs with. */
  #simple(words: readonly ShellWord[], input: readonly Redirection[]): void {
    const [first, ...args] = words;
    if (first === undefined) return;
    const name = literalOf(first) ?? fileNameOf(first);
    if (name === null) return this.#reading.unknown(`runs ${first.written}, which is known only then`);
    if (name === "" || /\s/.test(name))
      return this.#reading.unknown(`runs a program with the name "${name}"`);
    this.#reading.push(partOf(words));
    const program = programOf(name);
    for (const word of args) this.#hold(word);
    this.#evaluates ||= evaluatesArguments(program, args);
    for (const inner of findInner.get(program)?.(args, program) ?? [])
      this.#reading.nested(() => this.#inner(inner, program, input));
  }

  #inner(inner: Inner, program: string, input: readonly Redirection[]): void {
    switch (inner.kind) {
      case "command":
        this.#simple(inner.words, input);
        break;
      case "script":
        this.#text(inner.script, `has ${program} run ${inner.script.written}`);
        break;
      case "template":
        this.#template(inner.script, `has ${program} run ${inner.script.written}`);
        break;
      case "input":
        this.#input(program, input, inner.ifKnown === true);
        break;
      case "expansion":
        this.#expansion(inner.text);
        break;
      case "assignment":
        this.#assigned(inner.word);
        break;
      case "unknown":
        this.#reading.unknown(inner.clause);
        break;
    }
  }

  #text(script: ShellWord, otherwise: string): void {
    const text = literalOf(script);
    if (text === null) this.#reading.unknown(`${otherwise}, which is known only then`);
    else this.#script(text);
  }

  #template(script: ShellWord, otherwise: string): void {
    const text = literalOf(script);
    if (text !== null && text.trim() === "") return;
    this.#text(text === null ? script : knownWord(`${text} $@`), otherwise);
  }

  /** What a shell reads from its input: a text that the command holds, or anything. */
  #input(program: string, redirects: readonly Redirection[], isFile: boolean): void {
    const texts = redirects.flatMap((redirect) => {
      if (redirect.type === "HereDoc") return [hereDocWord(redirect.body)];
      return redirect.type === "HereString" && redirect.target !== undefined ? [wordOf(redirect.target)] : [];
    });
    if (texts.length === 0 && !isFile) this.#reading.unknown(`has ${program} run what its input holds`);
    for (const text of texts) this.#text(text, `has ${program} run what its input holds`);
  }

  /** As it is done to a here-document: what it substitutes is run. */
  #expansion(text: string): void {
    const end = "YOI";
    if (text.split("\n").includes(end)) return this.#reading.unknown("holds a text that a shell expands");
    this.#script(`<<${end}\n${text}\n${end}\n`);
  }

  #expandHeld(): void {
    if (this.#joins !== null) this.#reading.unknown(`sets ${this.#joins}, which may be expanded once more`);
    for (const text of this.#held) this.#expansion(text);
  }

  #holdText(word: Word | undefined): void {
    if (word !== undefined) this.#hold(assignedWord(word));
  }

  #hold({ pieces }: ShellWord): void {
    const text = pieces.join("");
    if (runsWhenExpanded(text)) this.#held.push(text);
  }

  /** Where a shell reads a number it expands also what stands in quotes. */
  #expanded(word: Word | undefined): void {
    const text = word === undefined ? null : literalOf(wordOf(word));
    if (text !== null && runsWhenExpanded(text)) this.#expansion(text);
  }

  #assignment({ name, index, value, text }: Assignment): void {
    this.#expanded(index);
    const words = value.type === "Word" ? [value] : value.elements;
    for (const word of words) this.#value(name, assignedWord(word), text);
  }

  /** `NAME=value` among arguments. */
  #assigned(word: ShellWord): void {
    const [head, ...rest] = word.pieces;
    const equals = head?.indexOf("=") ?? -1;
    const assigned = assignmentIn(head ?? "");
    if (assigned === null || head === null || head === undefined) return;
    const pieces = [head.slice(equals + 1), ...rest];
    const written = word.written.slice(word.written.indexOf("=") + 1).replaceAll('"', "");
    this.#value(assigned.name, { ...word, pieces, written }, word.written);
  }

  #value(name: string, value: ShellWord, written: string): void {
    const role = roleOf(name);
    const text = literalOf(value);
    if (text !== null && mayBeJoined(text)) this.#joins ??= written;
    if (role === null || role === "prompt") {
      const isLaid = text === null || mayBeJoined(text) || written.startsWith(`${name}+=`);
      if (role !== null && isLaid) return this.#changes(written);
      if (text !== null && runsWhenExpanded(text)) this.#expansion(text);
      return;
    }
    if (isHarmlessValue(name, value)) return;
    if (role === "programs" || text === null || written.includes("+=")) return this.#changes(written);
    // The program that runs it adds arguments.
    this.#template(value, written);
  }

  #changes(written: string): void {
    this.#reading.unknown(`sets ${written}, which changes what is run`);
  }

  #redirection(node: Redirection): void {
    if (node.descriptor?.type === "FileDescriptorVariable" && roleOf(node.descriptor.name) !== null)
      this.#reading.unknown(`sets ${node.descriptor.name}`);
    if (node.type === "HereDoc") this.#hold(hereDocWord(node.body));
    if (node.type === "HereString" && node.target !== undefined) this.#hold(wordOf(node.target));
    if (node.type !== "Redirect" || node.target === undefined || node.operator === "<") return;
    const target = wordOf(node.target);
    const path = literalOf(target);
    if (path === "/dev/null") return;
    const isDescriptor = path !== null && /^(?:\d+-?|-)$/.test(path);
    if ((node.operator === ">&" || node.operator === "<&") && (isDescriptor || node.operator === "<&"))
      return;
    this.#reading.push(writeOf(target, this.#workspace));
  }
}
