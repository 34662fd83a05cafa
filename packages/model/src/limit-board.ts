/** The limit board: what one Pod was told of an account's limit, all Pods of that account know before they ask. Wraps a model. */
import type { Clock } from "@yoi/base";
import type { Model, ModelEvent, ModelRequest, StreamOptions } from "./model.ts";
import { withStream } from "./wrap.ts";

/** A limit that is said to last longer is asked about again by then: one odd header is not worth more than a day. */
export const limitMsMax = 24 * 60 * 60 * 1000;

export interface KnownLimit {
  /** When the provider takes requests again, in ms since the epoch. */
  readonly untilMs: number;
  /** What it said. */
  readonly message: string;
}

/** Of one account. Nothing here throws: without a board each Pod finds out by itself. */
export interface LimitBoard {
  /** The one that was told and not cleared, of several the one that lasts longest, also where its time is past; null: none. */
  known(): Promise<KnownLimit | null>;
  tell(limit: KnownLimit): Promise<void>;
  clear(): Promise<void>;
}

/** `model`, which sends nothing while a limit stands: it fails as the provider would, with the time that is left. */
export function withLimitBoard(model: Model, board: LimitBoard, clock: Pick<Clock, "now">): Model {
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<ModelEvent> {
    let known = await board.known();
    const leftMs = known === null ? 0 : known.untilMs - clock.now();
    if (known !== null && leftMs > 0) {
      const message = `${known.message} Nothing was sent: the limit was told to a request of this account before.`;
      const failure = { kind: "rate_limit", message, retryable: true, retryAfterMs: leftMs } as const;
      yield { type: "failure", failure, usage: null };
      return;
    }
    for await (const event of model.stream(request, options)) {
      if (event.type === "finish" && known !== null) {
        // Another one of the account may have been told of a later one meanwhile.
        const last = await board.known();
        if (last !== null && last.untilMs <= known.untilMs) await board.clear();
      }
      if ((event.type === "failure" || event.type === "retry") && event.failure.kind === "rate_limit") {
        const { message, retryAfterMs = 0 } = event.failure;
        if (retryAfterMs > 0) {
          known = { untilMs: clock.now() + retryAfterMs, message };
          await board.tell(known);
        }
      }
      yield event;
    }
  }
  return withStream(model, stream);
}
