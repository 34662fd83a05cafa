/** Arguments of one call of a tool: what the model is told it may send is what is taken, and everything else is one sentence that names the field. */
import { type JsonObject, type JsonValue, YoiError } from "@yoi/base";

/** The schema of arguments: these properties and no others. */
export function objectOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

/** Every method throws `usage`. */
export class ToolArguments {
  protected readonly tool: string;
  readonly #args: JsonObject;

  constructor(tool: string, schema: JsonObject, args: JsonObject) {
    this.tool = tool;
    this.#args = args;
    const known = Object.keys(Object(schema["properties"]));
    const unknown = Object.keys(args).filter((name) => !known.includes(name));
    if (unknown.length === 0) return;
    const takes = known.length === 0 ? "nothing" : known.join(", ");
    throw new YoiError(
      "usage",
      `${tool} has no argument ${unknown.map((name) => JSON.stringify(name)).join(", ")}: it takes ${takes}.`,
    );
  }

  protected value(name: string): JsonValue | undefined {
    return this.#args[name];
  }

  /** Half a character is replaced. */
  protected text(name: string): string {
    const value = this.value(name);
    if (typeof value === "string") return value.toWellFormed();
    return this.refuse(name, value === undefined ? "is missing" : "must be a string");
  }

  /** A null stands for a field that is left out: some models send every field. */
  protected isGiven(name: string): boolean {
    const value = this.value(name);
    return value !== undefined && value !== null;
  }

  protected refuse(name: string, problem: string): never {
    throw new YoiError("usage", `The argument "${name}" of ${this.tool} ${problem}.`);
  }
}
