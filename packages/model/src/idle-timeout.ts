/** Idle timeout: a provider that says nothing for too long has failed. Wraps a model; leaves no timer behind. */
import type { Timers } from "@yoi/base";
import { failure } from "./failure.ts";
import type { Model, ModelEvent, ModelRequest, StreamOptions } from "./model.ts";
import { withStream } from "./wrap.ts";

export interface IdleLimits {
  /** From sending the request to the response headers. */
  readonly openMs: number;
  /** From the headers to the first event of the answer. */
  readonly firstEventMs: number;
  /** Between two events; pings count. */
  readonly idleMs: number;
}

export const idleLimits: IdleLimits = { openMs: 20_000, firstEventMs: 30_000, idleMs: 90_000 };

type Phase = "open" | "firstEvent" | "idle";

const waitedFor: { readonly [phase in Phase]: string } = {
  open: "accept the request",
  firstEvent: "begin its answer",
  idle: "go on with its answer",
};

/** One timer at a time, for what is awaited now. */
class Watch {
  #cancel: (() => void) | null = null;
  #phase: Phase = "open";
  #fired: Phase | null = null;
  readonly #timers: Timers;
  readonly #limits: IdleLimits;
  readonly #abort: AbortController;

  constructor(timers: Timers, limits: IdleLimits, abort: AbortController) {
    this.#timers = timers;
    this.#limits = limits;
    this.#abort = abort;
  }

  /** What is awaited, or was last. */
  get phase(): Phase {
    return this.#phase;
  }

  get fired(): Phase | null {
    return this.#fired;
  }

  limitMs(phase: Phase): number {
    return this.#limits[`${phase}Ms`];
  }

  await(phase: Phase): void {
    this.stop();
    this.#phase = phase;
    this.#cancel = this.#timers.after(this.limitMs(phase), () => {
      this.#fired = phase;
      this.#abort.abort();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}

/**
 * `model` with a limit on every silence. The clock runs only while the provider is awaited: not while the request is put on record, not
 * while the consumer works. The adapter's first ping says that the headers came. A timeout is a `failure` of kind `timeout`.
 */
export function withIdleTimeout(model: Model, timers: Timers, limits: IdleLimits = idleLimits): Model {
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<ModelEvent> {
    const abort = new AbortController();
    const watch = new Watch(timers, limits, abort);
    const events = model
      .stream(request, {
        signal: AbortSignal.any([options.signal, abort.signal]),
        beforeSend: async (wire) => {
          await options.beforeSend(wire);
          watch.await("open");
        },
      })
      [Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await events.next();
        watch.stop();
        if (done === true) return;
        if (value.type === "failure" && watch.fired !== null && !options.signal.aborted) {
          yield { ...value, failure: timedOut(model, watch.fired, watch.limitMs(watch.fired)) };
          return;
        }
        yield value;
        watch.await(watch.phase === "open" && value.type === "ping" ? "firstEvent" : "idle");
      }
    } finally {
      watch.stop();
      await events.return?.();
    }
  }
  return withStream(model, stream);
}

function timedOut(model: Model, phase: Phase, limitMs: number) {
  return failure(
    "timeout",
    `The provider ${model.provider} did not ${waitedFor[phase]} within ${limitMs / 1000} s; try again later.`,
    true,
  );
}
