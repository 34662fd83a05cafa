/** RequestRecord: the before-send port of one request. On record exactly once, before the first byte leaves; other bytes never leave. */
import type { LlmRequest, WireRecord } from "@yoi/base";
import type { BeforeSend } from "@yoi/model";
import type { History } from "./history.ts";
import { Cancelled } from "./settle.ts";

export class RequestRecord {
  readonly #history: History;
  readonly #signal: AbortSignal;
  readonly #body: (wire: WireRecord) => LlmRequest;
  readonly #recorded: (seq: number) => void;
  #wire: WireRecord | null = null;
  #seq: number | null = null;
  #pending: Promise<unknown> | null = null;

  constructor(options: {
    readonly history: History;
    readonly signal: AbortSignal;
    readonly body: (wire: WireRecord) => LlmRequest;
    readonly recorded: (seq: number) => void;
  }) {
    this.#history = options.history;
    this.#signal = options.signal;
    this.#body = options.body;
    this.#recorded = options.recorded;
  }

  /** Seq of the record; null while there is none. */
  get seq(): number | null {
    return this.#seq;
  }

  /** Resolves when no record is on its way to disk; throws when it could not be written. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  readonly beforeSend: BeforeSend = async (wire) => {
    // Also for a model that comes late, when its run is over.
    if (this.#signal.aborted) throw new Cancelled();
    if (this.#wire !== null) {
      if (!sameBytes(this.#wire, wire)) {
        throw new Error("a retry would have sent other bytes than are on record: nothing was sent");
      }
      return;
    }
    this.#wire = wire;
    const appended = this.#history.append([this.#body(wire)]);
    this.#pending = appended;
    const [entry] = await appended;
    if (entry === undefined) throw new Error("history took a request and gave no entry back");
    this.#seq = entry.seq;
    this.#recorded(entry.seq);
  };
}

function sameBytes(a: WireRecord, b: WireRecord): boolean {
  return a.sha256 === b.sha256 && a.bytes === b.bytes && a.method === b.method && a.path === b.path;
}
