/** What one source file mentions of the world outside it: imports, globals, and code made at run time. */
import { isErased, isFunction, resolve, scopeOf, type Scope } from "./bindings.ts";
import { below, child, children, field, literalText, nameOf, parse, type Node } from "./parse.ts";
import { pathsFrom, type Use } from "./paths.ts";

/** `how` is what the source says: it decides what the fault's message calls it. */
export interface Import {
  readonly specifier: string;
  readonly how: "import" | "export" | "import()" | "import =" | "type";
  readonly line: number;
}

/** Use of a module's content: `path` from the module's namespace on. */
export interface ModuleUse extends Use {
  readonly specifier: string;
  /** The file hands it on under its own name. */
  readonly exported: boolean;
}

export interface Facts {
  readonly imports: readonly Import[];
  readonly moduleUses: readonly ModuleUse[];
  readonly globalUses: readonly Use[];
  /** Strings, and the fixed pieces of templates. */
  readonly texts: readonly { readonly line: number; readonly text: string }[];
  /** Faults of the source itself: it does not parse, or hides what it loads. */
  readonly opaque: readonly { readonly line: number; readonly what: string }[];
}

const constructorFault = ".constructor, which makes functions from text";

function keyText(property: Node): string | null {
  const key = child(property, "key");
  return field(property, "computed") === true ? literalText(key) : (nameOf(key) ?? literalText(key));
}

function fixedText(node: Node): string | null {
  if (node.type === "Literal") return literalText(node);
  return (field(node, "value") as { cooked?: string | null }).cooked ?? null;
}

/** Text that is put together from literals only, which nobody needs: `"a" + "b"`, `${"a"}b`, `["a", "b"].join("")`. */
function isAssembledText(node: Node | null): boolean {
  const isText = (part: Node | null) => literalText(part) !== null || isAssembledText(part);
  switch (node?.type) {
    case "TemplateLiteral":
      return children(node, "expressions").some(isText);
    case "BinaryExpression":
      return isText(child(node, "left")) && isText(child(node, "right"));
    case "CallExpression": {
      const callee = child(node, "callee");
      const on = callee?.type === "MemberExpression" ? child(callee, "object") : null;
      return on?.type === "ArrayExpression" || isText(on);
    }
    default:
      return false;
  }
}

export function factsOf(path: string, text: string): Facts {
  const { program, line, error } = parse(path, text);
  const imports: Import[] = [];
  const moduleUses: ModuleUse[] = [];
  const globalUses: Use[] = [];
  const texts: { line: number; text: string }[] = [];
  const opaque: { line: number; what: string }[] = [];
  if (error !== null) opaque.push({ line: 1, what: `does not parse: ${error}` });

  function imported(node: Node, source: Node | null, how: Import["how"]): string | null {
    const specifier = literalText(source);
    if (specifier === null) opaque.push({ line: line(node.start), what: `${how} of a computed name` });
    else imports.push({ specifier, how, line: line(node.start) });
    return specifier;
  }

  function importDeclaration(node: Node): void {
    const typeOnly = field(node, "importKind") === "type";
    const specifier = imported(node, child(node, "source"), typeOnly ? "type" : "import");
    if (specifier === null || typeOnly) return;
    const specifiers = children(node, "specifiers");
    if (specifiers.length === 0)
      moduleUses.push({ specifier, path: [], as: "value", exported: false, line: line(node.start) });
    for (const one of specifiers) {
      if (field(one, "importKind") === "type") continue;
      const name =
        one.type === "ImportSpecifier"
          ? (nameOf(child(one, "imported")) ?? literalText(child(one, "imported")))
          : null;
      const path = name === null || name === "default" ? [] : [name];
      moduleUses.push({ specifier, path, as: "name", exported: false, line: line(one.start) });
    }
  }

  function exportDeclaration(node: Node): void {
    const source = child(node, "source");
    if (source === null) return;
    const typeOnly = field(node, "exportKind") === "type";
    const specifier = imported(node, source, typeOnly ? "type" : "export");
    if (specifier === null || typeOnly) return;
    if (node.type === "ExportAllDeclaration") {
      moduleUses.push({ specifier, path: [], as: "value", exported: true, line: line(node.start) });
    }
    for (const one of children(node, "specifiers")) {
      if (field(one, "exportKind") === "type") continue;
      const local = child(one, "local");
      const name = nameOf(local) ?? literalText(local);
      moduleUses.push({
        specifier,
        path: name === null ? [] : [name],
        as: "value",
        exported: true,
        line: line(one.start),
      });
    }
  }

  function identifier(node: Node, ancestors: readonly Node[], scope: Scope | null): void {
    const name = String(field(node, "name"));
    const binding = resolve(name, scope);
    if (binding === "local") return;
    const exported =
      ancestors.at(-1)?.type === "ExportSpecifier" || ancestors.at(-1)?.type === "ExportDefaultDeclaration";
    for (const use of pathsFrom(node, ancestors)) {
      const at = line(node.start);
      if (binding === null) globalUses.push({ ...use, path: [name, ...use.path], line: at });
      else {
        const path = binding.name === null ? use.path : [binding.name, ...use.path];
        moduleUses.push({ ...use, specifier: binding.source, path, exported, line: at });
      }
    }
  }

  function visit(node: Node, ancestors: readonly Node[], outer: Scope | null): void {
    if (node.type === "TSImportType")
      imported(node, child(node, "source") ?? child(node, "argument"), "type");
    if (node.type === "ImportDeclaration") return importDeclaration(node);
    if (isErased(node)) return typesBelow(node);
    const scope = scopeOf(node, outer);
    switch (node.type) {
      case "ExportAllDeclaration":
        return exportDeclaration(node);
      case "ExportNamedDeclaration":
        exportDeclaration(node);
        if (child(node, "source") !== null) return;
        if (field(node, "exportKind") === "type" && child(node, "declaration") === null) return;
        break;
      case "ExportSpecifier":
        if (field(node, "exportKind") === "type") return;
        break;
      case "TSImportEqualsDeclaration": {
        const reference = child(node, "moduleReference");
        if (field(node, "importKind") !== "type" && reference?.type === "TSExternalModuleReference") {
          const specifier = imported(node, child(reference, "expression"), "import =");
          if (specifier !== null)
            moduleUses.push({ specifier, path: [], as: "name", exported: false, line: line(node.start) });
        } else if (reference !== null && field(node, "importKind") !== "type") {
          opaque.push({ line: line(node.start), what: "import = of a name, which is an alias" });
        }
        return;
      }
      case "ImportExpression": {
        const specifier = imported(node, child(node, "source"), "import()");
        if (specifier !== null) {
          for (const use of pathsFrom(node, ancestors)) {
            moduleUses.push({ ...use, specifier, exported: false, line: line(node.start) });
          }
        }
        break;
      }
      case "MemberExpression": {
        const key =
          field(node, "computed") === true
            ? literalText(child(node, "property"))
            : nameOf(child(node, "property"));
        const parent = ancestors.at(-1);
        const named = parent?.type === "MemberExpression" && nameOf(child(parent, "property")) === "name";
        if (key === "constructor" && !named) {
          opaque.push({ line: line(node.start), what: constructorFault });
        }
        if (field(node, "computed") === true && isAssembledText(child(node, "property")))
          opaque.push({ line: line(node.start), what: "a member whose name is put together on the spot" });
        break;
      }
      case "ObjectPattern":
        for (const property of children(node, "properties")) {
          const key = property.type === "Property" ? keyText(property) : "";
          if (key === "constructor") opaque.push({ line: line(node.start), what: constructorFault });
          if (key === null) opaque.push({ line: line(node.start), what: "a computed key in a pattern" });
        }
        break;
      case "Identifier":
        identifier(node, ancestors, scope);
        break;
      case "Literal":
      case "TemplateElement": {
        const text = fixedText(node);
        if (text === null) break;
        texts.push({ line: line(node.start), text });
        if (text === "constructor") opaque.push({ line: line(node.start), what: constructorFault });
        break;
      }
    }
    const path = [...ancestors, node];
    for (const inner of below(node)) {
      // What a switch is over stands outside the scope of its cases.
      const outside = node.type === "SwitchStatement" && field(node, "discriminant") === inner;
      if (!isLabelOrKey(inner, node)) visit(inner, path, outside ? outer : scope);
    }
  }

  /** Inside types only `import("x")` is of interest: it is an import too. */
  function typesBelow(node: Node): void {
    for (const inner of below(node)) {
      if (inner.type === "TSImportType")
        imported(inner, child(inner, "source") ?? child(inner, "argument"), "type");
      typesBelow(inner);
    }
  }

  visit(program, [], null);
  return { imports, moduleUses, globalUses, texts, opaque };
}

/** Identifiers that name a member, a key, a label or a meta property, and so no variable. */
function isLabelOrKey(node: Node, parent: Node): boolean {
  if (node.type !== "Identifier") return false;
  switch (parent.type) {
    case "MemberExpression":
      return field(parent, "property") === node && field(parent, "computed") !== true;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return (
        field(parent, "key") === node && field(parent, "value") !== node && field(parent, "computed") !== true
      );
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
    case "MetaProperty":
    case "TSEnumMember":
      return (
        field(parent, "label") === node || parent.type === "MetaProperty" || field(parent, "id") === node
      );
    case "ExportSpecifier":
      return field(parent, "exported") === node && field(parent, "local") !== node;
    default:
      // The name of a function or class is declared where it stands; parameters and variables resolve to themselves.
      return (isFunction(parent) || parent.type.startsWith("Class")) && field(parent, "id") === node;
  }
}
