/** The fold over what was accepted for the model and is not told yet. */
import type { InboxAccepted } from "@yoi/base";
import type { WaitingItem } from "./session-state.ts";

export class Notices {
  readonly #waiting = new Map<number, WaitingItem>();

  /** In the order of acceptance. */
  get waiting(): readonly WaitingItem[] {
    return [...this.#waiting.values()];
  }

  /** @param id absent: its seq. */
  accepted(
    { seq, item, quiet }: Pick<InboxAccepted, "item" | "quiet"> & { readonly seq: number },
    id?: string,
  ): void {
    const known = id === undefined ? {} : { id };
    this.#waiting.set(seq, { seq, item, ...(quiet === true ? { quiet } : {}), ...known });
  }

  /** @param accepted seq of its `inbox_accepted`; absent: of what nobody sent. */
  told(accepted?: number): void {
    if (accepted !== undefined) this.#waiting.delete(accepted);
  }
}
