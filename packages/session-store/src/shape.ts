/** Shape: small checks that say which field of a stored value is wrong. */
import { isJsonObject } from "@yoi/base";

/** Null when the value is right; else the path of the wrong part, "" for the value itself. */
export type Shape = (value: unknown) => string | null;

const ok = null;
const wrong = "";

function when(test: (value: unknown) => boolean): Shape {
  return (value) => (test(value) ? ok : wrong);
}

export const text = when((value) => typeof value === "string");
export const flag = when((value) => typeof value === "boolean");
export const number = when((value) => typeof value === "number");
/** A whole number, 0 or more, that JSON carries exactly. */
export const count = when((value) => Number.isSafeInteger(value) && Number(value) >= 0);
/** A whole number, positive or negative. */
export const integer = when((value) => Number.isSafeInteger(value));
export const json = when(isJsonObject);
/** Whatever JSON can carry. */
export const anyJson = when((value) => value !== undefined);

export function textThat(test: (text: string) => boolean): Shape {
  return when((value) => typeof value === "string" && test(value));
}

export function matching(pattern: RegExp): Shape {
  return textThat((text) => pattern.test(text));
}

export function oneOf(...values: readonly string[]): Shape {
  return when((value) => typeof value === "string" && values.includes(value));
}

export function nullOr(shape: Shape): Shape {
  return (value) => (value === null ? ok : shape(value));
}

/** The first shape that fits; the complaint is the last one's. */
export function either(first: Shape, second: Shape): Shape {
  return (value) => (first(value) === ok ? ok : second(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return wrong;
    for (let index = 0; index < value.length; index += 1) {
      const complaint = shape(value[index]);
      if (complaint !== ok) return under(String(index), complaint);
    }
    return ok;
  };
}

export function mapOf(shape: Shape): Shape {
  return (value) => {
    if (!isJsonObject(value)) return wrong;
    for (const key of Object.keys(value)) {
      const complaint = shape(value[key]);
      if (complaint !== ok) return under(key, complaint);
    }
    return ok;
  };
}

/** An object with these fields; fields that are not named are left alone. A name that ends in "?" may be absent. */
export function object(fields: { readonly [name: string]: Shape }): Shape {
  const checks = Object.entries(fields).map(([name, shape]) => ({
    name: name.replace(/\?$/, ""),
    optional: name.endsWith("?"),
    shape,
  }));
  return (value) => {
    if (!isJsonObject(value)) return wrong;
    for (const { name, optional, shape } of checks) {
      // Own fields only: a name must not be answered by Object.prototype.
      if (!Object.hasOwn(value, name)) {
        if (optional) continue;
        return name;
      }
      const complaint = shape(value[name]);
      if (complaint !== ok) return under(name, complaint);
    }
    return ok;
  };
}

/** An object told apart by the text in `tag`. */
export function variant(tag: string, shapes: ReadonlyMap<string, Shape>): Shape {
  return (value) => {
    if (!isJsonObject(value)) return wrong;
    const name = Object.hasOwn(value, tag) ? value[tag] : undefined;
    const shape = typeof name === "string" ? shapes.get(name) : undefined;
    return shape === undefined ? tag : shape(value);
  };
}

function under(name: string, complaint: string): string {
  return complaint === "" ? name : `${name}.${complaint}`;
}
