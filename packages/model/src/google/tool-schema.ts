/** Tool schemas as Gemini takes them: JSON Schema, but no reference beside other keywords and none outside `$defs`, so references are put in their places. */

/** References that one schema may have, counted where they end up. */
export const schemaReferencesMax = 256;

type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose values are data: a `$ref` in them is none. */
const dataKeywords = new Set(["const", "default", "enum", "examples"]);
/** Keywords whose values are schemas by name: a name is no keyword. */
const schemasByName = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema that a reference within the document names; null: there is none. */
function targetOf(root: Schema, reference: string): Schema | null {
  if (!reference.startsWith("#/")) return null;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isSchema(at) && Object.hasOwn(at, name) ? at[name] : null;
  }
  return isSchema(at) ? at : null;
}

class Unresolvable extends Error {}

class Inliner {
  readonly #root: Schema;
  #references = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** `through`: the references that led here. */
  inline(schema: unknown, through: readonly string[]): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.inline(one, through));
    if (!isSchema(schema)) return schema;
    const { $ref: reference, ...rest } = schema;
    const own = Object.fromEntries(
      Object.entries(rest).map(([keyword, value]) => [keyword, this.#keyword(keyword, value, through)]),
    );
    if (typeof reference !== "string") return own;
    this.#references += 1;
    const target = targetOf(this.#root, reference);
    if (target === null || through.includes(reference) || this.#references > schemaReferencesMax)
      throw new Unresolvable(reference);
    return { ...(this.inline(target, [...through, reference]) as Schema), ...own };
  }

  #keyword(keyword: string, value: unknown, through: readonly string[]): unknown {
    if (dataKeywords.has(keyword)) return value;
    if (!schemasByName.has(keyword) || !isSchema(value)) return this.inline(value, through);
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, this.inline(schema, through)]),
    );
  }
}

/**
 * `schema` without `$schema`, and with every reference in its place. One that refers to itself, to what is not there or elsewhere keeps its
 * references: Gemini then says itself what it does not take.
 */
export function acceptedSchema<T extends Schema>(schema: T): T {
  const { $schema: _, ...plain } = schema;
  try {
    const {
      $defs: _defs,
      definitions: _definitions,
      ...inlined
    } = new Inliner(plain).inline(plain, []) as Schema;
    return inlined as T;
  } catch (error) {
    if (error instanceof Unresolvable) return plain as unknown as T;
    throw error;
  }
}
