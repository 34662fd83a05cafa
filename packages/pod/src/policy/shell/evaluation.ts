/** Where a shell takes a text for a number or for the name of a variable: it expands the text once more, wherever the text came from. */
import type { SyntaxNode, Word } from "unbash";
import { literalOf, type ShellWord, wordOf } from "./shell-word.ts";

const numericTest = /^-(?:eq|ne|lt|le|gt|ge)$/;
const nameTest = /^-[vR]$/;

/** Of a node by itself, without those within it. */
export function evaluates(node: SyntaxNode): boolean {
  switch (node.type) {
    case "ArithmeticCommand":
    case "ArithmeticExpansion":
    case "ArithmeticFor":
    case "Slice":
    case "Transform":
      return true;
    case "TestUnary":
      return nameTest.test(node.operator);
    case "TestBinary":
      return numericTest.test(node.operator);
    case "Assignment":
      return isSubscript(node.index);
    case "ParameterExpansion":
      return (node.prefix === "!" && node.operation?.type !== "Names") || isSubscript(node.index);
    default:
      return false;
  }
}

/** Some subscripts are no numbers to be computed. */
function isSubscript(index: Word | undefined): boolean {
  return index !== undefined && !/^(?:[@*]|\d+)$/.test(literalOf(wordOf(index)) ?? "");
}

/** Builtins that take names of variables, which may be texts with a subscript. */
const takeNames: ReadonlySet<string> = new Set([
  "export",
  "getopts",
  "mapfile",
  "read",
  "readarray",
  "unset",
  "wait",
]);
const declare: ReadonlySet<string> = new Set(["declare", "local", "readonly", "typeset"]);

/** Of a builtin with its arguments; texts that stand there are looked at anyway. */
export function evaluatesArguments(program: string, args: readonly ShellWord[]): boolean {
  const texts = args.map(literalOf);
  if (program === "let") return true;
  if (program === "test" || program === "[")
    return texts.some((text) => text !== null && (numericTest.test(text) || nameTest.test(text)));
  if (program === "printf") return texts[0]?.startsWith("-v") === true && texts.includes(null);
  if (takeNames.has(program)) return texts.includes(null);
  return declare.has(program) && texts.some((text) => text === null || /^-[A-Za-z]*[in]/.test(text));
}

/** Whether two such texts may be one together that runs something, which neither does by itself. */
export function mayBeJoined(text: string): boolean {
  return /\$$/.test(text) || (/`/.test(text) && text.split("`").length % 2 === 0);
}
