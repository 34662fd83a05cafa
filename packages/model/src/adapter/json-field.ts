/** Fields of a provider's own events, which may hold anything: of the wanted type, or null. */
import { isJsonObject, type JsonObject } from "@yoi/base";

export function objectAt(value: unknown, key: string): JsonObject | null {
  const field = isJsonObject(value) ? value[key] : undefined;
  return isJsonObject(field) ? field : null;
}

export function stringAt(value: JsonObject | null, key: string): string | null {
  const field = value?.[key];
  return typeof field === "string" ? field : null;
}
