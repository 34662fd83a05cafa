/** The limit board: what one Pod was told of an account's limit, all Pods of that account know before they ask. Wraps a model. */
import type { Clock } from "@yoi/base";
import type { Model, ModelEvent, ModelRequest, StreamOptions } from "./model.ts";
import { withStream } from "./wrap.ts";

export interface KnownLimit {
  /** When the provider takes requests again, in ms since the epoch. */
  readonly untilMs: number;
  /** What it said. */
  readonly message: string;
}

/** Of one account. Nothing here throws: without a board each Pod finds out by itself. */
export interface LimitBoard {
  /** The one that was told last and not cleared, also where its time is past; null: none. */
  known(): Promise<KnownLimit | null>;
  tell(limit: KnownLimit): Promise<void>;
  clear(): Promise<void>;
}

/** `model`, which sends nothing while a limit stands: it fails as the provider would, with the time that is left. */
export function withLimitBoard(model: Model, board: LimitBoard, clock: Pick<Clock, "now">): Model {
  async function* stream(request: ModelRequest, options: StreamOptions): AsyncGenerator<ModelEvent> {
    const known = await board.known();
    const leftMs = known === null ? 0 : known.untilMs - clock.now();
    if (known !== null && leftMs > 0) {
      const message = `${known.message} Nothing was sent: the limit was told to a request of this account before.`;
      const failure = { kind: "rate_limit", message, retryable: true, retryAfterMs: leftMs } as const;
      yield { type: "failure", failure, usage: null };
      return;
    }
    for await (const event of model.stream(request, options)) {
      if (event.type === "finish" && known !== null) await board.clear();
      if (event.type === "failure" && event.failure.kind === "rate_limit") {
        const { message, retryAfterMs = 0 } = event.failure;
        if (retryAfterMs > 0) await board.tell({ untilMs: clock.now() + retryAfterMs, message });
      }
      yield event;
    }
  }
  return withStream(model, stream);
}
