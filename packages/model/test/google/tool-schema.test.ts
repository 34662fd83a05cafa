/** Tool schemas for Gemini: references in their places, and everything else as it was. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedSchema, schemaReferencesMax } from "../../src/google/tool-schema.ts";

const text = { type: "string" };

test("what a schema goes out as", () => {
  const rows: readonly [string, object, object][] = [
    [
      "no reference: only the dialect's name is dropped",
      { $schema: "x", type: "object", properties: { a: { anyOf: [text, { type: "null" }], const: 1 } } },
      { type: "object", properties: { a: { anyOf: [text, { type: "null" }], const: 1 } } },
    ],
    [
      "a reference beside other keywords, which win",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/t", description: "mine" } },
        $defs: { t: { type: "string", description: "theirs" } },
      },
      { type: "object", properties: { a: { type: "string", description: "mine" } } },
    ],
    [
      "references in references, in arrays, to definitions and to properties",
      {
        type: "object",
        properties: {
          a: { type: "array", items: { $ref: "#/definitions/pair" } },
          b: { anyOf: [{ $ref: "#/properties/c" }, { $ref: "#/definitions/one~1two" }] },
          c: { type: "number" },
        },
        definitions: {
          pair: { type: "array", prefixItems: [{ $ref: "#/definitions/one~1two" }] },
          "one/two": text,
        },
      },
      {
        type: "object",
        properties: {
          a: { type: "array", items: { type: "array", prefixItems: [text] } },
          b: { anyOf: [{ type: "number" }, text] },
          c: { type: "number" },
        },
      },
    ],
    [
      "what looks like a reference and is a name or a value",
      {
        type: "object",
        properties: { $ref: text, $defs: text, a: { enum: [{ $ref: "#/x" }], default: { $ref: "#/x" } } },
        required: ["$ref"],
      },
      {
        type: "object",
        properties: { $ref: text, $defs: text, a: { enum: [{ $ref: "#/x" }], default: { $ref: "#/x" } } },
        required: ["$ref"],
      },
    ],
  ];
  for (const [name, schema, expected] of rows) {
    const before = structuredClone(schema);
    assert.deepEqual(acceptedSchema({ ...schema }), expected, name);
    assert.deepEqual(schema, before);
  }
});

test("a reference that has no place is left for Gemini to judge, with all others of its schema", () => {
  const good = { $ref: "#/$defs/t" };
  for (const bad of [
    "#/$defs/tree",
    "#/$defs/none",
    "https://example.com/s.json",
    "#",
    "#anchor",
    "#/$defs/t/type",
  ]) {
    const schema = {
      type: "object",
      properties: { good, bad: { $ref: bad } },
      $defs: { t: text, tree: { properties: { left: { $ref: "#/$defs/tree" } } } },
    };
    assert.deepEqual(acceptedSchema({ $schema: "x", ...schema }), schema, bad);
  }
});

test(`references up to ${schemaReferencesMax}, wherever they multiply`, () => {
  const refers = (count: number) => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { $ref: "#/$defs/t" }])),
    $defs: { t: text },
  });
  assert.ok(!JSON.stringify(acceptedSchema(refers(schemaReferencesMax))).includes("$ref"));
  const over = refers(schemaReferencesMax + 1);
  assert.deepEqual(acceptedSchema(over), over);
  // Each doubles the one before: 2^30 copies if nobody counted.
  const bomb: { [name: string]: object } = { d0: text };
  for (let n = 1; n <= 30; n += 1) {
    const half = { $ref: `#/$defs/d${n - 1}` };
    bomb[`d${n}`] = { anyOf: [half, half] };
  }
  const schema = { type: "object", properties: { a: { $ref: "#/$defs/d30" } }, $defs: bomb };
  assert.deepEqual(acceptedSchema(schema), schema);
});
