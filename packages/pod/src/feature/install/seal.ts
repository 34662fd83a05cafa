/** Seals what a module is handed: frozen all the way down, functions too, so that it is for every module what the host made of it. */

export function seal<T>(value: T): T {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
  if (Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const field of Object.values(value)) seal(field);
  return value;
}
