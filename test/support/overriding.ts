/** Another value in front of the same object: what is overridden answers itself, everything else is the object's own, private fields included. */
export function overriding<T extends object>(target: T, overrides: Partial<T>): T {
  return new Proxy(target, {
    get(_target, key) {
      const source = Object.hasOwn(overrides, key) ? overrides : target;
      const value: unknown = Reflect.get(source, key, source);
      return typeof value === "function" ? value.bind(source) : value;
    },
  });
}
