/** Arguments of the tools that look back. A null stands for a field that is left out: some models send every field. */
import { type JsonObject, type JsonValue, YoiError } from "@yoi/base";

export interface WholeNumber {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

export interface SessionArguments {
  readonly isGiven: (name: string) => boolean;
  readonly text: (name: string, charsMax?: number) => string;
  readonly integer: (name: string, bounds: WholeNumber) => number;
  /** The first one where none is given. */
  readonly oneOf: <Value extends string>(name: string, values: readonly [Value, ...Value[]]) => Value;
}

/** All of it throws `usage`, in a sentence that names the field. */
export function sessionArguments(tool: string, schema: JsonObject, args: JsonObject): SessionArguments {
  const known = Object.keys(Object(schema["properties"]));
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new YoiError(
      "usage",
      `${tool} has no argument ${JSON.stringify(unknown)}: it takes ${known.join(", ")}.`,
    );
  const valueOf = (name: string): JsonValue | null => args[name] ?? null;
  const refuse = (name: string, problem: string): never => {
    throw new YoiError("usage", `The argument "${name}" of ${tool} ${problem}.`);
  };
  return {
    isGiven: (name) => valueOf(name) !== null,
    text: (name, charsMax = Infinity) => {
      const value = valueOf(name);
      if (typeof value !== "string") return refuse(name, value === null ? "is missing" : "must be a string");
      return value.length <= charsMax ? value : refuse(name, `must have at most ${charsMax} characters`);
    },
    integer: (name, { min, max, otherwise }) => {
      const value = valueOf(name) ?? otherwise;
      return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
        ? Number(value)
        : refuse(name, `must be a whole number from ${min} to ${max}`);
    },
    oneOf: (name, values) => {
      const value = valueOf(name) ?? values[0];
      return values.find((one) => one === value) ?? refuse(name, `must be one of ${values.join(", ")}`);
    },
  };
}
