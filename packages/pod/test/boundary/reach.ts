/** Everything that can be reached from a value: fields, hidden ones and accessors included, prototypes, and what functions carry. */

/** What every program has: reaching it gives nobody anything of the host. */
const intrinsics: ReadonlySet<unknown> = new Set([
  Object.prototype,
  Function.prototype,
  Array.prototype,
  Promise.prototype,
  Object.getPrototypeOf(async () => {}),
  AbortSignal.prototype,
]);

export interface Reached {
  readonly path: string;
  readonly value: object;
}

/** Objects and functions, each once, by the first path that leads to it. Not into the intrinsics, and not into `open`, which the test names. */
export function reach(
  root: unknown,
  path: string,
  open: (value: object) => boolean = () => false,
): readonly Reached[] {
  const found: Reached[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown, at: string): void => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    if (intrinsics.has(value) || seen.has(value)) return;
    seen.add(value);
    found.push({ path: at, value });
    if (open(value)) return;
    for (const key of Reflect.ownKeys(value)) {
      const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
      const name = `${at}.${String(key)}`;
      visit(descriptor?.get, `${name}(get)`);
      visit(descriptor?.set, `${name}(set)`);
      visit(valueOf(value, key), name);
    }
    visit(Reflect.getPrototypeOf(value), `${at}(prototype)`);
  };
  visit(root, path);
  return found;
}

function valueOf(value: object, key: PropertyKey): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    // An accessor of a prototype, asked without an instance.
    return undefined;
  }
}

/** Why what was reached is more than frozen plain values and bare functions; empty when it is not. */
export function faultsOf(reached: readonly Reached[]): readonly string[] {
  return reached.flatMap(({ path, value }) => {
    if (value instanceof AbortSignal) return [];
    const prototype: unknown = Reflect.getPrototypeOf(value);
    const faults: string[] = [];
    if (!Object.isFrozen(value)) faults.push(`${path} is not frozen`);
    if (prototype !== null && !intrinsics.has(prototype)) faults.push(`${path} is an instance of something`);
    if (typeof value === "function" && "prototype" in value) faults.push(`${path} is a constructor`);
    return faults;
  });
}
