/** Changing every text in a value that goes to clients. */

/** Built anew, with each text as `change` gives it; names of fields stay. */
export function withTexts<T>(value: T, change: (text: string) => string): T {
  // The shape is kept, so the type is.
  return changed(value, change) as T;
}

function changed(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => changed(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changed(one, change)]));
}
