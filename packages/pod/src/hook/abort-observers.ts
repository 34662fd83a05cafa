/** AbortObservers: tells the on_abort hooks why a run ended. Nothing of the run waits for them. */
import type { Timers } from "@yoi/base";
import { askHooks, hookTimeoutMs } from "./ask.ts";
import type { HookLabel, RegisteredHook } from "./registry.ts";
import { boundedText } from "./said.ts";

/** Runs whose end is told at the same time, or waits to be told: hooks that answer never hold no more than these. */
export const abortsToldMax = 16;

export interface AbortObserversOptions {
  readonly hooks: readonly RegisteredHook<"on_abort">[];
  readonly timers: Pick<Timers, "after">;
  readonly redact: (text: string) => string;
  readonly diagnostic: (hook: HookLabel, reason: string) => void;
}

export class AbortObservers {
  readonly #options: AbortObserversOptions;
  #asking: Promise<void> | null = null;
  #told = 0;
  #giveUp = new AbortController();

  constructor(options: AbortObserversOptions) {
    this.#options = options;
  }

  /** Hooks that answer at once have done so when this returns, unless those of an earlier run are still asked. Over the limit nobody is told. */
  tell(reason: string): void {
    const [first] = this.#options.hooks;
    if (first === undefined) return;
    if (this.#told >= abortsToldMax) {
      this.#options.diagnostic(
        first,
        `the end of a run was not told: hooks are still asked about ${abortsToldMax} earlier ones`,
      );
      return;
    }
    this.#told += 1;
    const before = this.#asking;
    if (before === null) this.#giveUp = new AbortController();
    const asking = before === null ? this.#ask(reason) : before.then(() => this.#ask(reason));
    this.#asking = asking;
    void asking.then(() => {
      this.#told -= 1;
      if (this.#asking === asking) this.#asking = null;
    });
  }

  /** Hooks are asked at this moment, and this owner has one of them. */
  isTelling(owner: string): boolean {
    return this.#told > 0 && this.#options.hooks.some((hook) => hook.owner.id === owner);
  }

  /** Resolves when no hook is asked any more: at the latest after the limit of one hook, what is left then is not asked. */
  async settled(): Promise<void> {
    if (this.#asking === null) return;
    const giveUp = this.#giveUp;
    const cancelTimer = this.#options.timers.after(hookTimeoutMs, () => giveUp.abort());
    while (this.#asking !== null) await this.#asking;
    cancelTimer();
  }

  async #ask(reason: string): Promise<void> {
    const { hooks, timers, redact, diagnostic } = this.#options;
    const context = Object.freeze({ reason: boundedText(reason, this.#options) });
    const asked = await askHooks({
      hooks,
      contextFor: () => context,
      signal: this.#giveUp.signal,
      timers,
      redact,
      failed: (hook, why) => {
        diagnostic(hook, why);
        return null;
      },
    });
    if (asked.cancelled) {
      const { name, owner } = asked.hook;
      diagnostic(asked.hook, `the hook ${name} (on_abort) of ${owner.id} was given up: the Pod is closing`);
    }
  }
}
