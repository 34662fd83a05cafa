/** Pulse: signs of life that come beside the values one waits for. */

export class Pulse {
  #onBeat: () => void = () => {};

  beat(): void {
    this.#onBeat();
  }

  /** `pending` in the end; on the way `onBeat` is yielded for the beats that come while it is awaited: many at once are one. */
  async *until<T, B>(pending: Promise<T>, onBeat: B): AsyncGenerator<B, T> {
    let beaten = false;
    let settled = false;
    let wake = (): void => {};
    this.#onBeat = () => {
      beaten = true;
      wake();
    };
    const settle = (): void => {
      settled = true;
      wake();
    };
    // Once, not for each beat: a promise keeps whatever waits for it until it settles.
    pending.then(settle, settle);
    while (!settled) {
      if (!beaten) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (beaten) {
        beaten = false;
        yield onBeat;
      }
    }
    return pending;
  }
}
