/** Whether a value is JSON: who hands one in from code may hand in anything. */
import { isDepthWithin, isJsonObject, jsonDepthMax, type JsonValue } from "@yoi/base";

/** True for what comes out of JSON as it went in, and nests no deeper than `depthMax`. */
export function isJson(value: unknown, depthMax = jsonDepthMax): value is JsonValue {
  return isDepthWithin(value, depthMax) && isPlain(value);
}

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  // A hole of an array is undefined, which JSON does not have.
  if (Array.isArray(value)) return Array.from(value).every(isPlain);
  if (!isJsonObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Object.values(value).every(isPlain);
}
