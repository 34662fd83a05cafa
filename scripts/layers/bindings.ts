/** Which names a scope declares at run time: what tells a global from a parameter of the same name. */
import { below, child, children, field, literalText, nameOf, type Node } from "./parse.ts";

/** Where a name comes from: an import of `source` (`name` null: the whole module), or this file. */
export type Binding = { readonly source: string; readonly name: string | null; readonly at: Node } | "local";
export type Scope = { readonly names: Map<string, Binding>; readonly parent: Scope | null };

/** Types, and declarations that exist for the compiler only: `declare const fetch` hides no global. */
export function isErased(node: Node): boolean {
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
    case "TSImportEqualsDeclaration":
    case "TSExternalModuleReference":
    case "TSExportAssignment":
    case "TSParameterProperty":
      return false;
    case "TSEnumDeclaration":
    case "TSEnumBody":
    case "TSEnumMember":
    case "TSModuleDeclaration":
    case "TSModuleBlock":
      return field(node, "declare") === true || field(node, "global") === true;
    default:
      return node.type.startsWith("TS") || field(node, "declare") === true;
  }
}

export function isFunction(node: Node): boolean {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/** Names that a pattern binds. */
function* patternNames(node: Node | null): Generator<string> {
  switch (node?.type) {
    case "Identifier":
      yield String(field(node, "name"));
      break;
    case "ObjectPattern":
      for (const property of children(node, "properties"))
        yield* patternNames(child(property, "value") ?? child(property, "argument"));
      break;
    case "ArrayPattern":
      for (const element of children(node, "elements")) yield* patternNames(element);
      break;
    case "AssignmentPattern":
      yield* patternNames(child(node, "left"));
      break;
    case "RestElement":
      yield* patternNames(child(node, "argument"));
      break;
    case "TSParameterProperty":
      yield* patternNames(child(node, "parameter"));
      break;
  }
}

function* declaredNames(declaration: Node): Generator<string> {
  for (const declarator of children(declaration, "declarations"))
    yield* patternNames(child(declarator, "id"));
}

/** `var` names of a block or program: they rise out of every block, not out of inner functions. */
function* varNames(node: Node): Generator<string> {
  for (const inner of below(node)) {
    if (isErased(inner) || isFunction(inner) || inner.type === "StaticBlock") continue;
    if (inner.type === "VariableDeclaration" && field(inner, "kind") === "var") yield* declaredNames(inner);
    yield* varNames(inner);
  }
}

function importBindings(node: Node, names: Map<string, Binding>): void {
  if (field(node, "importKind") === "type") return;
  const source = literalText(child(node, "source"));
  for (const specifier of children(node, "specifiers")) {
    const local = nameOf(child(specifier, "local"));
    if (local === null || source === null || field(specifier, "importKind") === "type") continue;
    const imported = child(specifier, "imported");
    const name = specifier.type === "ImportSpecifier" ? (nameOf(imported) ?? literalText(imported)) : null;
    names.set(local, { source, name: name === "default" ? null : name, at: specifier });
  }
}

/** What one statement of a list declares in that list's scope. */
function statementBindings(statement: Node, names: Map<string, Binding>): void {
  const inner =
    statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
      ? child(statement, "declaration")
      : statement;
  if (inner === null || (isErased(inner) && inner.type !== "ImportDeclaration")) return;
  switch (inner.type) {
    case "ImportDeclaration":
      importBindings(inner, names);
      break;
    case "VariableDeclaration":
      for (const name of declaredNames(inner)) names.set(name, "local");
      break;
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration": {
      const name = nameOf(child(inner, "id"));
      if (name !== null) names.set(name, "local");
      break;
    }
    case "TSImportEqualsDeclaration": {
      const reference = child(inner, "moduleReference");
      const source = reference === null ? null : literalText(child(reference, "expression"));
      const name = nameOf(child(inner, "id"));
      if (name !== null) names.set(name, source === null ? "local" : { source, name: null, at: inner });
      break;
    }
  }
}

/** The scope that `node` opens, or `parent` when it opens none. */
export function scopeOf(node: Node, parent: Scope | null): Scope | null {
  const names = new Map<string, Binding>();
  const add = (found: Iterable<string>) => {
    for (const name of found) names.set(name, "local");
  };
  if (isFunction(node)) {
    const own = nameOf(child(node, "id"));
    if (node.type === "FunctionExpression" && own !== null) names.set(own, "local");
    // A default of a parameter does not see what the body declares: that is the body's block.
    for (const parameter of children(node, "params")) add(patternNames(parameter));
    return { names, parent };
  }
  switch (node.type) {
    case "Program":
    case "StaticBlock":
    case "TSModuleBlock":
    case "BlockStatement":
      add(varNames(node));
      for (const statement of children(node, "body")) statementBindings(statement, names);
      break;
    case "SwitchStatement":
      for (const branch of children(node, "cases")) {
        for (const statement of children(branch, "consequent")) statementBindings(statement, names);
      }
      break;
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement": {
      const head = child(node, "init") ?? child(node, "left");
      if (head?.type === "VariableDeclaration") add(declaredNames(head));
      break;
    }
    case "CatchClause":
      add(patternNames(child(node, "param")));
      break;
    case "ClassExpression": {
      const own = nameOf(child(node, "id"));
      if (own !== null) names.set(own, "local");
      break;
    }
    default:
      return parent;
  }
  return { names, parent };
}

export function resolve(name: string, scope: Scope | null): Binding | null {
  for (let at = scope; at !== null; at = at.parent) {
    const binding = at.names.get(name);
    if (binding !== undefined) return binding;
  }
  return null;
}
