/** A model that plays events as it is told, for the wrappers around models. */
import { noUsage } from "@yoi/base";
import type { Model, ModelEvent, ModelFailure, StreamOptions } from "@yoi/model";

export const wire = { sha256: "0".repeat(64), bytes: 2, method: "POST", path: "/v1/messages", headers: {} };

export const shown: readonly ModelEvent[] = [
  { type: "block_start", index: 0, block: "text" },
  { type: "block_delta", index: 0, text: "x" },
  { type: "block_end", index: 0, text: "x" },
];
export const finish: ModelEvent = { type: "finish", reason: "stop", usage: noUsage };

export function failed(failure: Partial<ModelFailure> = {}): Extract<ModelEvent, { type: "failure" }> {
  const whole = {
    kind: "overloaded",
    message: "It is overloaded; wait.",
    retryable: true,
    ...failure,
  } as const;
  return { type: "failure", failure: whole, usage: noUsage };
}

/** `play` is called for each attempt, counted from 0, after `beforeSend`, which is told of a body of `bytes`. */
export function fakeModel(
  play: (attempt: number, options: StreamOptions) => AsyncIterable<ModelEvent> | Iterable<ModelEvent>,
  bytes = wire.bytes,
): Model & { readonly attempts: () => number; readonly closes: () => number } {
  let attempts = 0;
  let closes = 0;
  return {
    provider: "fake",
    id: "fake-1",
    limits: { contextWindow: 1000, outputTokensMax: 100 },
    capabilities: { images: false, midSystem: false },
    price: () => null,
    adapter: { name: "fake", version: "1" },
    lowering: 1,
    async *stream(_request, options) {
      await options.beforeSend({ ...wire, bytes });
      const attempt = attempts;
      attempts += 1;
      yield* play(attempt, options);
    },
    lower: async () => wire,
    close: async () => {
      closes += 1;
    },
    attempts: () => attempts,
    closes: () => closes,
  };
}
