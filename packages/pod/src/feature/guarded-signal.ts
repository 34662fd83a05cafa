/** Signals as features get them: a listener that throws is the feature's failure, and no uncaught error of the process. */

type Guard = (event: Event) => void;

/**
 * The signal itself, which nobody else may hold, with its own ways to listen in front of those of its type. `failed` hears what a listener
 * throws, or rejects with. A signal that a feature makes of it (`AbortSignal.any`) is the feature's own.
 */
export function guardedSignal(signal: AbortSignal, failed: (thrown: unknown) => void): AbortSignal {
  const guarded =
    (listener: object): Guard =>
    (event) => {
      try {
        const given: unknown =
          typeof listener === "function" ? listener.call(signal, event) : handled(listener, event);
        Promise.resolve(given).catch(failed);
      } catch (thrown) {
        failed(thrown);
      }
    };
  /** One for each listener: a second one of the same is none, and it is found again to be removed. */
  const guards = new WeakMap<object, Guard>();
  const guardOf = (listener: unknown): Guard => {
    if (!isObject(listener))
      throw new TypeError("A listener is a function, or an object with handleEvent().");
    const guard = guards.get(listener) ?? guarded(listener);
    guards.set(listener, guard);
    // Node removes by what it was given: a listener whose own signal (an option) aborts.
    guards.set(guard, guard);
    return guard;
  };
  const add = AbortSignal.prototype.addEventListener.bind(signal);
  const remove = AbortSignal.prototype.removeEventListener.bind(signal);
  let onabort: { readonly handler: object; readonly guard: Guard } | null = null;
  return Object.defineProperties(signal, {
    addEventListener: {
      value: Object.freeze((type: string, listener: unknown, options?: Parameters<typeof add>[2]) =>
        add(type, guardOf(listener), options),
      ),
    },
    removeEventListener: {
      value: Object.freeze((type: string, listener: unknown, options?: Parameters<typeof remove>[2]) =>
        remove(type, guardOf(listener), options),
      ),
    },
    onabort: {
      get: Object.freeze(() => onabort?.handler ?? null),
      set: Object.freeze((handler: unknown) => {
        if (onabort !== null) remove("abort", onabort.guard);
        onabort = typeof handler === "function" ? { handler, guard: guarded(handler) } : null;
        if (onabort !== null) add("abort", onabort.guard);
      }),
    },
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}

function handled(listener: object, event: Event): unknown {
  const { handleEvent } = listener as { readonly handleEvent?: unknown };
  return typeof handleEvent === "function" ? handleEvent.call(listener, event) : undefined;
}
