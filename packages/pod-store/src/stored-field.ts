/** StoredField: a value of a stored document together with where it stands, so that what is wrong with it is said with its place. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import type { JsonPath } from "./json-place.ts";

/** Makes the error for what is wrong at a path. */
export type FieldFault = (path: JsonPath, reason: string) => Error;

export class StoredField {
  readonly path: JsonPath;
  readonly #value: JsonValue | undefined;
  readonly #fault: FieldFault;

  constructor(value: JsonValue | undefined, fault: FieldFault, path: JsonPath = []) {
    this.#value = value;
    this.#fault = fault;
    this.path = path;
  }

  get isNull(): boolean {
    return this.#value === null;
  }

  /** Throws; absent: it is missing or of the wrong type. */
  refuse(reason = "is missing or of the wrong type"): never {
    throw this.#fault(this.path, reason);
  }

  object(): JsonObject {
    return isJsonObject(this.#value) ? this.#value : this.refuse();
  }

  field(key: string): StoredField {
    return new StoredField(this.object()[key], this.#fault, [...this.path, key]);
  }

  list(): readonly StoredField[] {
    if (!Array.isArray(this.#value)) return this.refuse();
    const elements = this.#value as readonly JsonValue[];
    return elements.map((element, index) => new StoredField(element, this.#fault, [...this.path, index]));
  }

  /** @param isRight what else it must be */
  text(isRight: (text: string) => boolean = () => true): string {
    return typeof this.#value === "string" && isRight(this.#value) ? this.#value : this.refuse();
  }

  textOrNull(): string | null {
    return this.isNull ? null : this.text();
  }

  flag(): boolean {
    return typeof this.#value === "boolean" ? this.#value : this.refuse();
  }

  oneOf<T extends string>(words: readonly T[]): T {
    return words.find((word) => word === this.#value) ?? this.refuse();
  }

  /** A whole number from `min` to `max`. */
  count(min = 0, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#value;
    if (typeof value !== "number" || !Number.isSafeInteger(value) || value < min) return this.refuse();
    return value > max ? this.refuse(`is greater than ${max}`) : value;
  }

  /** Milliseconds since the epoch. */
  time(): number {
    return typeof this.#value === "number" && this.#value >= 0 ? this.#value : this.refuse();
  }
}
