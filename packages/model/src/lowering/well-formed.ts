/** Well-formed Unicode: half a character in one text, and a provider refuses the request as no JSON, and every later one with it. */
import { isJsonObject, type JsonObject, type JsonValue } from "@yoi/base";

function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  return isJsonObject(value) ? wellFormedObject(value) : value;
}

/** A copy whose names and texts have U+FFFD for every half character. The caller bounds its depth. */
export function wellFormedObject(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toWellFormed(), wellFormed(value)]],
    ),
  );
}
