/** Arguments of a tool call: one table gives the schema that the model is told and the check of what it sends. */
import { type JsonObject, YoiError } from "@yoi/base";

export type Field =
  | {
      readonly type: "string";
      readonly description: string;
      /** The only texts that are taken. */
      readonly values?: readonly string[];
      readonly optional?: true;
    }
  | { readonly type: "boolean"; readonly description: string; readonly optional?: true }
  | {
      readonly type: "integer";
      readonly description: string;
      readonly min: number;
      readonly max: number;
      readonly optional?: true;
    };
export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F["type"] extends "string"
  ? string
  : F["type"] extends "boolean"
    ? boolean
    : number;
export type Arguments<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends { readonly optional: true }
    ? ValueOf<F[K]> | undefined
    : ValueOf<F[K]>;
};

export function schemaOf(fields: Fields): JsonObject {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        type: field.type,
        description: field.description,
        ...(field.type === "integer" ? { minimum: field.min, maximum: field.max } : {}),
        ...(field.type === "string" && field.values !== undefined ? { enum: [...field.values] } : {}),
      },
    ]),
  );
  const required = Object.keys(fields).filter((name) => fields[name]?.optional !== true);
  return { type: "object", properties, required, additionalProperties: false };
}

/** The checked arguments. Throws `usage` with a sentence that names the field; a field that nobody declared is refused too. */
export function readArguments<F extends Fields>(tool: string, fields: F, args: JsonObject): Arguments<F> {
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(fields, name));
  if (unknown.length > 0) {
    const known = Object.keys(fields).join(", ");
    throw new YoiError(
      "usage",
      `${tool} has no argument ${unknown.map((name) => JSON.stringify(name)).join(", ")}: it takes ${known}.`,
    );
  }
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    const problem =
      value === undefined ? (field.optional === true ? null : "is missing") : problemOf(field, value);
    if (problem !== null) throw new YoiError("usage", `The argument "${name}" of ${tool} ${problem}.`);
    values[name] = value;
  }
  return values as Arguments<F>;
}

function problemOf(field: Field, value: unknown): string | null {
  switch (field.type) {
    case "string":
      if (typeof value !== "string") return "must be a string";
      return field.values === undefined || field.values.includes(value)
        ? null
        : `must be one of ${field.values.join(", ")}`;
    case "boolean":
      return typeof value === "boolean" ? null : "must be true or false";
    case "integer":
      return typeof value === "number" &&
        Number.isSafeInteger(value) &&
        value >= field.min &&
        value <= field.max
        ? null
        : `must be a whole number from ${field.min} to ${field.max}`;
  }
}
