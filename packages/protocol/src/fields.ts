/** Fields: reads the fields of one object that came over the wire, each checked; what is wrong is said in one sentence. Fields that nobody reads are left alone. */
import { cutUtf8, escapeControls, isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";
import { Fault } from "./parse-line.ts";

/** Bytes of somebody else's text that a sentence quotes. */
const quotedBytesMax = 64;

export class Fields {
  /** With the fields that nobody reads. */
  readonly whole: JsonObject;
  readonly #place: string;

  /** `place` is how sentences name the object; "" for the line itself. */
  constructor(value: JsonValue | undefined, place: string) {
    if (!isJsonObject(value)) throw wrong(place, "an object", value);
    this.whole = value;
    this.#place = place;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.whole, name);
  }

  /** Own fields only: no name is answered by Object.prototype. */
  value(name: string): JsonValue | undefined {
    return this.has(name) ? this.whole[name] : undefined;
  }

  at(name: string): string {
    return this.#place === "" ? name : `${this.#place}.${name}`;
  }

  object(name: string): Fields {
    return new Fields(this.value(name), this.at(name));
  }

  flag(name: string): boolean {
    const value = this.value(name);
    if (typeof value !== "boolean") throw wrong(this.at(name), "true or false", value);
    return value;
  }

  /** A whole number that JSON carries exactly. */
  count(name: string, min = 0): number {
    const value = this.value(name);
    if (!isCount(value, min)) {
      throw wrong(this.at(name), `a whole number from ${min} on`, value);
    }
    return value;
  }

  /** Any number that is one: JSON's 1e999 is not. */
  number(name: string): number {
    const value = this.value(name);
    if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(this.at(name), "a number", value);
    return value;
  }

  /** Any text; also what is no well-formed Unicode. */
  string(name: string): string {
    const value = this.value(name);
    if (typeof value !== "string") throw wrong(this.at(name), "a text", value);
    return value;
  }

  /** Well-formed: half of a surrogate pair is refused, because no provider takes it back. */
  text(name: string, charsMax = Number.POSITIVE_INFINITY, charsMin = 0): string {
    const value = this.string(name);
    if (value.length > charsMax || value.length < charsMin) {
      const range = charsMin === 0 ? `at most ${charsMax}` : `${charsMin} to ${charsMax}`;
      throw new Fault(`${this.at(name)} is to have ${range} characters, and has ${value.length}.`);
    }
    if (!value.isWellFormed()) {
      throw new Fault(`${this.at(name)} holds half of a surrogate pair: it is to be well-formed Unicode.`);
    }
    return value;
  }

  oneOf<T extends string>(name: string, words: readonly T[]): T {
    const value = this.value(name);
    const word = words.find((each) => each === value);
    if (word === undefined) throw wrong(this.at(name), alternatives(words), value);
    return word;
  }

  nullOr<T>(name: string, read: (name: string) => T): T | null {
    return this.value(name) === null ? null : read(name);
  }

  /** A list of objects. */
  list<T>(name: string, read: (fields: Fields) => T): readonly T[] {
    return this.#list(name).map((each, index) => read(new Fields(each, `${this.at(name)}[${index}]`)));
  }

  strings(name: string): readonly string[] {
    return this.#list(name).map((each, index) => {
      if (typeof each !== "string") throw wrong(`${this.at(name)}[${index}]`, "a text", each);
      return each;
    });
  }

  counts(name: string): readonly number[] {
    return this.#list(name).map((each, index) => {
      if (!isCount(each, 0)) throw wrong(`${this.at(name)}[${index}]`, "a whole number", each);
      return each;
    });
  }

  #list(name: string): readonly JsonValue[] {
    const value = this.value(name);
    if (!isList(value)) throw wrong(this.at(name), "a list", value);
    return value;
  }
}

/** Not -0 either: it would be another number when it is said again. */
function isCount(value: JsonValue | undefined, min: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= min && !Object.is(value, -0);
}

/** Keeps the type of what is in it. */
function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Words as a sentence offers them. */
export function alternatives(words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

function wrong(place: string, expected: string, value: JsonValue | undefined): Fault {
  const subject = place === "" ? "The line" : place;
  return new Fault(
    value === undefined
      ? `${subject} is missing: it is to be ${expected}.`
      : `${subject} is to be ${expected}, and is ${shown(value)}.`,
  );
}

function shown(value: JsonValue): string {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : String(value);
}

/** Somebody else's text as a sentence quotes it: short, and without what could disturb a terminal. */
export function quoted(text: string): string {
  const start = cutUtf8(text.toWellFormed(), quotedBytesMax);
  return `"${escapeControls(start)}${start.length < text.length ? "..." : ""}"`;
}
