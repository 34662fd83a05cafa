/** Source text to a syntax tree, by the parser that rolldown ships (TypeScript 7 has no API for tools). */
import { parseSync } from "rolldown/utils";

/** A node of the ESTree that oxc makes: fields beyond these are read through `child` and `children`. */
export interface Node {
  readonly type: string;
  /** UTF-16 offsets in the source. */
  readonly start: number;
  readonly end: number;
}

export interface Parsed {
  readonly program: Node;
  /** 1-based line of an offset. */
  line(offset: number): number;
  /** A sentence when the text is not TypeScript: nothing in the tree can be trusted then. */
  readonly error: string | null;
}

export function parse(path: string, text: string): Parsed {
  const { program, errors } = parseSync(path, text, { lang: "ts", sourceType: "module" });
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return {
    program: program as Node,
    line: (offset) => {
      const after = starts.findIndex((start) => start > offset);
      return after === -1 ? starts.length : after;
    },
    error: errors[0]?.message ?? null,
  };
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";
}

/** The field's value, whatever it is. */
export function field(node: Node, name: string): unknown {
  return (node as unknown as Readonly<Record<string, unknown>>)[name];
}

/** The node in a field, or null. */
export function child(node: Node, name: string): Node | null {
  const value = field(node, name);
  return isNode(value) ? value : null;
}

/** The nodes of a list field; holes of patterns are left out. */
export function children(node: Node, name: string): readonly Node[] {
  const value = field(node, name);
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Every node right below, in no particular order. */
export function* below(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    if (isNode(value)) yield value;
    else if (Array.isArray(value)) yield* value.filter(isNode);
  }
}

/** An identifier's name. */
export function nameOf(node: Node | null): string | null {
  return node?.type === "Identifier" ? String(field(node, "name")) : null;
}

/** The text of a string literal or of a template without substitutions, also where its type is another; null for anything else. */
export function literalText(node: Node | null): string | null {
  if (node?.type === "TSAsExpression") return literalText(child(node, "expression"));
  if (node?.type === "Literal") {
    const value = field(node, "value");
    return typeof value === "string" ? value : null;
  }
  if (node?.type === "TemplateLiteral" && children(node, "expressions").length === 0) {
    const quasi = children(node, "quasis")[0];
    const value = quasi === undefined ? undefined : field(quasi, "value");
    return (value as { cooked?: string } | undefined)?.cooked ?? null;
  }
  return null;
}
