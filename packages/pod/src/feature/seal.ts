/** Seals what a module is handed: frozen all the way down, functions too, so that it is for every module what the host made of it. */

export function seal<T>(value: T): T {
  const seen = new Set<unknown>();
  const freeze = (each: unknown): void => {
    if ((typeof each !== "object" && typeof each !== "function") || each === null || seen.has(each)) return;
    seen.add(each);
    for (const field of Object.values(Object.freeze(each))) freeze(field);
  };
  freeze(value);
  return value;
}
