/** Once: what a committed item or a tool becomes is found once, however many requests it is part of. A request then costs little for what it repeats. */
import type { Item } from "@yoi/base";

/** Keeps one value an item, for as long as the item lives. Only of frozen items: another may change between two requests. */
export class Once<T, Of extends object = Item> {
  readonly #kept = new WeakMap<Of, { readonly variant: string; readonly value: T }>();

  /** `make()`, or what it gave when it was last called for this item and variant. `make` must depend on nothing else. */
  of(item: Of, variant: string, make: () => T): T {
    const kept = this.#kept.get(item);
    if (kept?.variant === variant) return kept.value;
    const value = make();
    if (Object.isFrozen(item)) this.#kept.set(item, { variant, value });
    return value;
  }
}
