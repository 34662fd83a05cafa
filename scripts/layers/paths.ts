/** What becomes of an object where it is mentioned: which member is taken, whether it is called, or that it goes on as a value. */
import { child, children, field, literalText, nameOf, type Node } from "./parse.ts";

export interface Use {
  /** Members, outermost first: `globalThis.process.env` is [globalThis, process, env]. */
  readonly path: readonly string[];
  /** What is done at the end of the path. `test` is `typeof` and `instanceof`; `name` is an import by name. */
  readonly as: "value" | "call" | "construct" | "construct-empty" | "test" | "name";
  readonly line: number;
}

type End = Omit<Use, "line">;

const wrappers = new Set([
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "ChainExpression",
  "AwaitExpression",
]);

/** Follows an expression outwards. `ancestors` ends with its parent. A destructuring makes one use for each key. */
export function pathsFrom(node: Node, ancestors: readonly Node[]): readonly End[] {
  const path: string[] = [];
  let current = node;
  for (let depth = ancestors.length - 1; depth >= 0; depth -= 1) {
    const parent = ancestors[depth];
    if (parent === undefined) break;
    if (wrappers.has(parent.type)) {
      current = parent;
      continue;
    }
    if (parent.type === "MemberExpression" && field(parent, "object") === current) {
      const key = keyOf(parent, "property");
      if (key === null) return [{ path, as: "value" }];
      path.push(key);
      current = parent;
      continue;
    }
    return ends(path, current, parent);
  }
  return [{ path, as: "value" }];
}

function ends(path: readonly string[], current: Node, parent: Node): readonly End[] {
  switch (parent.type) {
    case "CallExpression":
      return [{ path, as: field(parent, "callee") === current ? "call" : "value" }];
    case "NewExpression": {
      if (field(parent, "callee") !== current) return [{ path, as: "value" }];
      const [first] = children(parent, "arguments");
      return [
        { path, as: first === undefined || first.type === "SpreadElement" ? "construct-empty" : "construct" },
      ];
    }
    case "UnaryExpression":
      return [{ path, as: field(parent, "operator") === "typeof" ? "test" : "value" }];
    case "BinaryExpression":
      return [
        {
          path,
          as:
            field(parent, "operator") === "instanceof" && field(parent, "right") === current
              ? "test"
              : "value",
        },
      ];
    case "VariableDeclarator":
      return field(parent, "init") === current ? taken(path, child(parent, "id")) : [{ path, as: "value" }];
    case "AssignmentExpression":
    case "AssignmentPattern":
      return field(parent, "right") === current
        ? taken(path, child(parent, "left"))
        : [{ path, as: "value" }];
    default:
      return [{ path, as: "value" }];
  }
}

/** What a pattern takes out of the object at `path`. */
function taken(path: readonly string[], pattern: Node | null): readonly End[] {
  if (pattern?.type === "AssignmentPattern") return taken(path, child(pattern, "left"));
  if (pattern?.type !== "ObjectPattern") return [{ path, as: "value" }];
  return children(pattern, "properties").flatMap((property) => {
    const key = property.type === "Property" ? keyOf(property, "key") : null;
    return key === null ? [{ path, as: "value" as const }] : taken([...path, key], child(property, "value"));
  });
}

/** A member's name where it can be read off the source; null when it is computed. */
function keyOf(node: Node, name: string): string | null {
  const key = child(node, name);
  return field(node, "computed") === true ? literalText(key) : (nameOf(key) ?? literalText(key));
}
