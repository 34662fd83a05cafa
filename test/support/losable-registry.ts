/** A registry of a simulated machine whose file can be deleted: between any two verbs, also of commands that go on. */
import type { Registry } from "@yoi/scope/registry";

export interface LosableRegistry {
  readonly registry: Registry;
  /** Resolves when the next verb finds no file. */
  lose(): Promise<void>;
}

export function losableRegistry(make: () => Registry): LosableRegistry {
  let current = make();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  return {
    registry: {
      register: (allocation) => inTurn(() => current.register(allocation)),
      check: (allocation) => inTurn(() => current.check(allocation)),
      delegate: (lender, child, loan) => inTurn(() => current.delegate(lender, child, loan)),
      adopt: (lender, child, loan) => inTurn(() => current.adopt(lender, child, loan)),
      moved: (allocation) => inTurn(() => current.moved(allocation)),
      reclaim: (lender, child, loan) => inTurn(() => current.reclaim(lender, child, loan)),
      release: (name) => inTurn(() => current.release(name)),
      list: () => inTurn(() => current.list()),
      close: () => current.close(),
    },
    lose: () =>
      inTurn(() => {
        current.close();
        current = make();
      }),
  };
}
