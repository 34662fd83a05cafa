/** What the grammar leaves unread in a command, and what no grammar can read. */
import type { SyntaxNode } from "unbash";
import { literalOf, wordOf } from "./shell-word.ts";

/** Of a node by itself, as the end of the sentence "the command ..."; null where all of it is read. */
export function unreadOf(node: SyntaxNode): string | null {
  switch (node.type) {
    case "Script": {
      const [error] = node.errors ?? [];
      return error === undefined ? null : `cannot be parsed (${error.message})`;
    }
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      return node.script === undefined ? `holds ${node.text}, which cannot be parsed` : null;
    case "ArithmeticExpansion":
      return node.expression === undefined && runsAny(node.text)
        ? `holds ${node.text}, which cannot be parsed`
        : null;
    case "ArithmeticCommand":
      return node.expression === undefined && runsAny(node.body)
        ? `holds ((${node.body})), which cannot be parsed`
        : null;
    case "Transform":
      return literalOf(wordOf(node.operand)) === "P" ? "expands the text in a variable once more" : null;
    case "Unknown":
      return `holds an expansion that is not known (${node.operator})`;
    default:
      return null;
  }
}

function runsAny(text: string): boolean {
  return /[$`]/.test(text);
}
