/** A plain copy of anything a module hands over: JSON data that is our own, whatever getters, proxies or cycles it came from. */
import { type JsonValue, YoiError } from "@yoi/base";

export interface PlainCopyLimits {
  /** Arrays and objects inside each other. */
  readonly depthMax: number;
  /** Characters of all texts and keys, and one for every value. */
  readonly charsMax: number;
}

/** Characters of a key, and of a whole place, in a message: it has to hold the problem too. */
const keyCharsMax = 64;
const placeCharsMax = 128;

/**
 * Reads every property exactly once. Fields that are undefined are left out. Throws feature_invalid, with the place below `what`, for whatever
 * JSON cannot hold: functions, BigInt, NaN, class instances, lone surrogates, a `__proto__` key; and for what is over a limit, as a cycle is.
 * What a getter throws, it throws.
 */
export function plainCopy(value: unknown, what: string, limits: PlainCopyLimits): JsonValue {
  let chars = 0;
  const refuse = (place: string, problem: string): never => {
    const shown = place.length <= placeCharsMax ? place : `${place.slice(0, placeCharsMax)}…`;
    throw new YoiError("feature_invalid", `${shown} ${problem}.`);
  };
  const spend = (count: number, place: string) => {
    chars += count;
    if (chars > limits.charsMax) refuse(place, `is larger than ${limits.charsMax} characters in all`);
  };
  const text = (each: string, place: string): string => {
    spend(each.length, place);
    if (!each.isWellFormed()) refuse(place, "holds half of a surrogate pair, which is no text");
    return each;
  };
  const copy = (each: unknown, place: string, depth: number): JsonValue => {
    spend(1, place);
    switch (typeof each) {
      case "string":
        return text(each, place);
      case "boolean":
        return each;
      case "number":
        return Number.isFinite(each) ? each + 0 : refuse(place, "is no number that JSON can hold");
      case "object":
        if (each === null) return null;
        break;
      default:
        return refuse(place, `is of type ${typeof each}, which JSON cannot hold`);
    }
    if (depth === limits.depthMax) {
      return refuse(place, `is nested deeper than ${limits.depthMax} levels, or holds itself`);
    }
    if (Array.isArray(each)) {
      // A proxy says what it likes.
      const length: unknown = each.length;
      if (typeof length !== "number" || !Number.isSafeInteger(length) || length < 0) {
        return refuse(place, "is a list whose length is no count");
      }
      spend(length, place);
      return Array.from({ length }, (_, index) => copy(each[index], `${place}[${index}]`, depth + 1));
    }
    const prototype: unknown = Object.getPrototypeOf(each);
    if (prototype !== Object.prototype && prototype !== null) {
      return refuse(place, "is no plain object");
    }
    const fields: { [key: string]: JsonValue } = {};
    for (const key of Object.keys(each)) {
      const inside = `${place}.${key.slice(0, keyCharsMax)}`;
      if (text(key, inside) === "__proto__") refuse(inside, "is no field that data may have");
      const field: unknown = (each as { readonly [key: string]: unknown })[key];
      if (field !== undefined) fields[key] = copy(field, inside, depth + 1);
    }
    return fields;
  };
  return copy(value, what, 0);
}
