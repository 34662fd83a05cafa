/** Fields: reads the fields of one object of a descriptor, each checked, and none left over. Every problem is a feature_invalid that says where. */
import { escapeControls, isJsonObject, type JsonObject, type JsonValue, YoiError } from "@yoi/base";

/** A text for one line, or for several. */
export type TextShape = "line" | "block";

export class Fields {
  readonly place: string;
  readonly #left: Map<string, JsonValue>;

  /** `place` is how messages name the object. */
  constructor(value: JsonValue, place: string) {
    if (!isJsonObject(value)) throw problem(place, "is to be an object");
    this.place = place;
    this.#left = new Map();
    for (const [key, field] of Object.entries(value)) if (field !== undefined) this.#left.set(key, field);
  }

  /** What is left when all that is known was read. */
  end(): void {
    const [unknown] = this.#left.keys();
    if (unknown !== undefined) throw problem(this.at(unknown), "is not a field that is known here");
  }

  at(key: string): string {
    return `${this.place}.${key.slice(0, 64)}`;
  }

  has(key: string): boolean {
    return this.#left.has(key);
  }

  take(key: string): JsonValue {
    const value = this.#left.get(key);
    if (value === undefined) throw problem(this.at(key), "is missing");
    this.#left.delete(key);
    return value;
  }

  /** Not blank, without characters that could disturb a terminal. */
  text(key: string, charsMax: number, shape: TextShape = "line"): string {
    const value = this.take(key);
    if (typeof value !== "string") throw problem(this.at(key), "is to be a text");
    if (value.trim() === "") throw problem(this.at(key), "is blank");
    if (value.length > charsMax) throw problem(this.at(key), `has more than ${charsMax} characters`);
    if (escapeControls(value, shape === "block" ? "newline-tab" : "none") !== value) {
      throw problem(this.at(key), "holds control characters");
    }
    return value;
  }

  /** `rule` finishes "it is to be ...". */
  matching(key: string, charsMax: number, pattern: Pick<RegExp, "test">, rule: string): string {
    const value = this.text(key, charsMax);
    if (!pattern.test(value)) {
      throw problem(this.at(key), `is ${JSON.stringify(value)}: it is to be ${rule}`);
    }
    return value;
  }

  oneOf<const T extends string>(key: string, known: readonly T[]): T {
    const value = this.take(key);
    const found = known.find((each) => each === value);
    if (found === undefined) throw problem(this.at(key), `is to be one of ${known.join(", ")}`);
    return found;
  }

  flag(key: string): boolean {
    const value = this.take(key);
    if (typeof value !== "boolean") throw problem(this.at(key), "is to be true or false");
    return value;
  }

  /** At least 1. */
  count(key: string): number {
    const value = this.take(key);
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) {
      throw problem(this.at(key), "is to be a whole number from 1");
    }
    return value;
  }

  object(key: string): JsonObject {
    const value = this.take(key);
    if (!isJsonObject(value)) throw problem(this.at(key), "is to be an object");
    return value;
  }

  /** Each element read by `read`, with its place; no two with the same `name`. */
  list<T>(
    key: string,
    countMax: number,
    read: (value: JsonValue, place: string) => T,
    name: (element: T) => string,
  ): readonly T[] {
    const value = this.take(key);
    if (!Array.isArray(value)) throw problem(this.at(key), "is to be a list");
    if (value.length > countMax) throw problem(this.at(key), `has more than ${countMax} elements`);
    const elements = value.map((each: JsonValue, index) => read(each, `${this.at(key)}[${index}]`));
    const seen = new Set<string>();
    for (const element of elements) {
      if (seen.has(name(element))) throw problem(this.at(key), `names ${name(element)} twice`);
      seen.add(name(element));
    }
    return elements;
  }
}

export function problem(place: string, what: string): YoiError {
  return new YoiError("feature_invalid", `${place} ${what}.`);
}
