/** Fields of stored JSON, read one by one: what is missing or of the wrong type is said with its file and its dotted name. */
import { isJsonObject, YoiError, type JsonObject, type JsonValue } from "@yoi/base";

type Check<T> = (value: JsonValue | undefined) => value is T & JsonValue;

/** Where a value stands, for the error. */
interface FieldPlace {
  /** The file. */
  readonly path: string;
  /** Dotted. */
  readonly field: string;
}

/** One object of it. Throws metadata_damaged. */
export class FieldReader {
  readonly #json: JsonObject;
  readonly #place: FieldPlace;
  /** What was asked for, with the reader of each that is a table. */
  readonly #asked = new Map<string, FieldReader | null>();

  constructor(json: JsonValue | undefined, place: FieldPlace) {
    if (!isJsonObject(json)) throw damaged(place);
    this.#json = json;
    this.#place = place;
  }

  #at(rest: string): FieldPlace {
    return { ...this.#place, field: `${this.#place.field}.${rest}` };
  }

  field<T extends JsonValue>(key: string, check: Check<T>): T {
    this.#asked.set(key, null);
    const value = Object.hasOwn(this.#json, key) ? this.#json[key] : undefined;
    if (!check(value)) throw damaged(this.#at(key));
    return value;
  }

  optional<K extends string, T extends JsonValue>(key: K, check: Check<T>): { [P in K]?: T } {
    if (!Object.hasOwn(this.#json, key)) return {};
    return { [key]: this.field(key, check) } as { [P in K]?: T };
  }

  optionalTable<K extends string, T>(key: K, read: (table: FieldReader) => T): { [P in K]?: T } {
    if (!Object.hasOwn(this.#json, key)) return {};
    return { [key]: read(this.table(key)) } as { [P in K]?: T };
  }

  /** Null, or a table; absent: nothing. */
  optionalNullable<K extends string, T>(key: K, read: (table: FieldReader) => T): { [P in K]?: T | null } {
    if (!Object.hasOwn(this.#json, key)) return {};
    return { [key]: this.nullableTable(key, read) } as { [P in K]?: T | null };
  }

  optionalList<K extends string, T>(key: K, read: (element: FieldReader) => T): { [P in K]?: T[] } {
    if (!Object.hasOwn(this.#json, key)) return {};
    return { [key]: this.list(key).map(read) } as { [P in K]?: T[] };
  }

  get keys(): readonly string[] {
    return Object.keys(this.#json);
  }

  nullableTable<T>(key: string, read: (table: FieldReader) => T): T | null {
    this.#asked.set(key, null);
    return this.#json[key] === null ? null : read(this.table(key));
  }

  table(key: string): FieldReader {
    const table = new FieldReader(this.#json[key], this.#at(key));
    this.#asked.set(key, table);
    return table;
  }

  /** What nobody has asked for so far, here and in the tables of it; elements of lists are passed over. */
  get unasked(): JsonObject {
    const left = Object.entries(this.#json).flatMap(([key, value]) => {
      const table = this.#asked.get(key);
      if (table === undefined) return [[key, value] as const];
      const below = table?.unasked ?? {};
      return Object.keys(below).length === 0 ? [] : [[key, below] as const];
    });
    return Object.fromEntries(left);
  }

  list(key: string): FieldReader[] {
    this.#asked.set(key, null);
    const value = this.#json[key];
    if (!Array.isArray(value)) throw damaged(this.#at(key));
    return value.map((element: JsonValue, index) => new FieldReader(element, this.#at(`${key}[${index}]`)));
  }
}

function damaged({ path, field }: FieldPlace): YoiError {
  return new YoiError(
    "metadata_damaged",
    `The metadata in ${path} is damaged (its field ${field} is missing or of the wrong type): put back a good copy of that file, or start a new Pod; the session logs are untouched.`,
    { place: { path } },
  );
}
