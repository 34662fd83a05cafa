/** Pulse: signs of life that come beside the values one waits for. */

export class Pulse {
  #woken: (() => void) | null = null;

  beat(): void {
    const woken = this.#woken;
    this.#woken = null;
    woken?.();
  }

  /** `pending` in the end; on the way `onBeat` is yielded for each beat that comes while it is awaited. */
  async *until<T, B>(pending: Promise<T>, onBeat: B): AsyncGenerator<B, T> {
    for (;;) {
      const settled = await new Promise<{ readonly value: T } | null>((resolve, reject) => {
        this.#woken = () => resolve(null);
        pending.then((value) => resolve({ value }), reject);
      });
      if (settled !== null) return settled.value;
      yield onBeat;
    }
  }
}
