/** Idle timeout: a provider that says nothing for too long, or never comes to an end, has failed. Wraps a model; leaves no timer behind. */
import type { ProviderKind, Timers } from "@yoi/base";
import { failure } from "./failure.ts";
import type { Model, ModelEvent, ModelFailure, ModelRequest, StreamOptions } from "./model.ts";
import { withStream } from "./wrap.ts";

export interface IdleLimits {
  /** From the end of the upload to the response headers. */
  readonly openMs: number;
  /**
   * What the upload is given before that, by its length: the slowest line that is served. When the last byte has really left is not to be
   * known: the kernel takes a whole request at once.
   */
  readonly uploadBytesPerSecMin: number;
  /** From the headers to the first event of the answer. */
  readonly firstEventMs: number;
  /** Between two events; pings count. */
  readonly idleMs: number;
  /** From sending the request to the end of its answer, pings or not. */
  readonly totalMs: number;
}

export const idleLimits: IdleLimits = {
  openMs: 20_000,
  uploadBytesPerSecMin: 16 * 1024,
  firstEventMs: 30_000,
  idleMs: 90_000,
  totalMs: 3_600_000,
};

const patientMs = 300_000;

/**
 * What each kind of provider is given beyond that. A server that may be the user's own machine loads a model and reads a long prompt slowly
 * before it says anything; models of OpenAI and Google think for minutes without a word or a ping, Google's before the headers too.
 */
export const idleLimitsByKind: { readonly [kind in ProviderKind]: IdleLimits } = {
  anthropic: idleLimits,
  openai: { ...idleLimits, firstEventMs: patientMs, idleMs: patientMs },
  google: { ...idleLimits, openMs: patientMs, firstEventMs: patientMs, idleMs: patientMs },
  "openai-compatible": { ...idleLimits, openMs: patientMs, firstEventMs: patientMs },
};

type Phase = "open" | "firstEvent" | "idle";

const waitedFor: { readonly [phase in Phase | "total"]: string } = {
  open: "accept the request",
  firstEvent: "begin its answer",
  idle: "go on with its answer",
  total: "finish its answer",
};

interface Expired {
  readonly phase: Phase | "total";
  readonly limitMs: number;
}

/** One timer for what is awaited now, and one for the whole of the request. */
class Watch {
  #cancel: (() => void) | null = null;
  #cancelTotal: (() => void) | null = null;
  #phase: Phase = "open";
  #expired: Expired | null = null;
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

  /** The first limit that was passed. */
  get expired(): Expired | null {
    return this.#expired;
  }

  /** A request of so many bytes is sent. */
  sent(bytes: number): void {
    const { openMs, uploadBytesPerSecMin, totalMs } = this.#limits;
    this.end();
    this.#cancelTotal = this.#after("total", totalMs);
    this.#wait("open", openMs + Math.floor((bytes * 1000) / uploadBytesPerSecMin));
  }

  await(phase: "firstEvent" | "idle"): void {
    this.#wait(phase, this.#limits[`${phase}Ms`]);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  end(): void {
    this.stop();
    this.#cancelTotal?.();
    this.#cancelTotal = null;
  }

  #wait(phase: Phase, limitMs: number): void {
    this.stop();
    this.#phase = phase;
    this.#cancel = this.#after(phase, limitMs);
  }

  #after(phase: Phase | "total", limitMs: number): () => void {
    return this.#timers.after(limitMs, () => {
      this.#expired ??= { phase, limitMs };
      this.#abort.abort();
    });
  }
}

/**
 * `model` with a limit on every silence and on the whole. The clock of a silence runs only while the provider is awaited: not while the
 * request is put on record, not while the consumer works. The adapter's first ping says that the headers came. A timeout is a `failure`
 * of kind `timeout`; only after a silence may the same bytes be sent again.
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
          watch.sent(wire.bytes);
        },
      })
      [Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await events.next();
        watch.stop();
        if (done === true) return;
        if (value.type === "failure" && watch.expired !== null && !options.signal.aborted) {
          yield { ...value, failure: timedOut(model, watch.expired) };
          return;
        }
        yield value;
        watch.await(watch.phase === "open" && value.type === "ping" ? "firstEvent" : "idle");
      }
    } finally {
      watch.end();
      await events.return?.();
    }
  }
  return withStream(model, stream);
}

function timedOut(model: Model, { phase, limitMs }: Expired): ModelFailure {
  return failure(
    "timeout",
    `The provider ${model.provider} did not ${waitedFor[phase]} within ${limitMs / 1000} s; try again later.`,
    phase !== "total",
  );
}
