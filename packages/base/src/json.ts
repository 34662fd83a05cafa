/** JSON as data: its types, and the one canonical text that digests are taken over. */

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** True for an object that came from `{...}` in JSON: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The canonical text of a JSON value: keys sorted by UTF-16 code unit, no white space, absent (undefined) keys left out.
 * Two values with the same canonical text are the same value to every digest in yoi.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v ?? null)).join(",")}]`;
  if (isJsonObject(value)) {
    const fields: string[] = [];
    for (const key of Object.keys(value).sort()) {
      const field = value[key];
      if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field)}`);
    }
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** Freezes a JSON value all the way down and hands it back. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const field of Object.values(value)) deepFreeze(field);
  }
  return value;
}

/** Deeper JSON is refused wherever it comes from outside: what walks it by recursion must not overflow. */
export const jsonDepthMax = 128;

/** True when no array or object in `value` is nested deeper than `depthMax` (a primitive is 0 deep, `[]` is 1). Does not recurse. */
export function isDepthWithin(value: unknown, depthMax: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== "object" || each === null) continue;
      if (depth === depthMax) return false;
      for (const field of Object.values(each)) next.push(field);
    }
    level = next;
  }
  return true;
}
