/** The stream of events on stdout, a line each: bounded, whatever its reader does. */
import { type Entry, type JsonObject, utf8Length } from "@yoi/base";
import type { Live } from "@yoi/protocol";
import { jsonLine } from "../json-line.ts";
import { resultSchemaVersion } from "../error-object.ts";
import { liveEventOf } from "./live-event.ts";
import { eventsOfEntry } from "./record-events.ts";
import type { GapEvent, StreamEvent } from "./stream-event.ts";

/** What may wait for a slow reader before provisional lines are left out. */
export const provisionalBacklogBytesMax = 1024 * 1024;
/** And before all others are, but the result. A line alone may be larger. */
export const backlogBytesMax = 8 * 1024 * 1024;

/** Where the lines go. */
export interface LineSink {
  write(line: string): void;
  /** Bytes that were written and not taken yet. */
  readonly waitingBytes: number;
  /** Nobody reads any more. */
  readonly gone: boolean;
}

interface Gap {
  provisional: number;
  other: number;
  first: number | null;
  last: number | null;
}

/**
 * A run never waits for its reader. Of what does not fit only the count is kept, and a `gap` says where it was left out as soon as there is
 * room again, or right before the result.
 */
export class EventStream {
  readonly #sink: LineSink;
  #gap: Gap | null = null;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  readonly committed = (entries: readonly Entry[]): void => {
    for (const entry of entries) for (const event of eventsOfEntry(entry)) this.put(event);
  };

  live(live: Live): void {
    const event = liveEventOf(live);
    if (event !== null) this.put(event);
  }

  put(event: StreamEvent): void {
    if (this.#sink.gone) return;
    const line = lineOf(event);
    const isProvisional = "provisional" in event && event.provisional === true;
    const max = isProvisional ? provisionalBacklogBytesMax : backlogBytesMax;
    const { waitingBytes } = this.#sink;
    if (waitingBytes > 0 && waitingBytes + utf8Length(line) > max) {
      this.#leaveOut(event, isProvisional);
      return;
    }
    this.#writeGap();
    this.#sink.write(line);
  }

  /** The last line, whatever waits. */
  end(result: JsonObject): void {
    if (this.#sink.gone) return;
    this.#writeGap();
    this.#sink.write(jsonLine(result));
  }

  #leaveOut(event: StreamEvent, isProvisional: boolean): void {
    this.#gap ??= { provisional: 0, other: 0, first: null, last: null };
    if (isProvisional) this.#gap.provisional += 1;
    else this.#gap.other += 1;
    if (!("ts" in event)) return;
    this.#gap.first ??= event.seq;
    this.#gap.last = event.seq;
  }

  #writeGap(): void {
    if (this.#gap === null) return;
    const { provisional, other, first, last } = this.#gap;
    this.#gap = null;
    const gap: GapEvent = { type: "gap", provisional, other, first_seq: first, last_seq: last };
    this.#sink.write(lineOf(gap));
  }
}

/** `type` and `schema_version` first, for people who look at it. */
function lineOf({ type, ...fields }: StreamEvent): string {
  return jsonLine({ type, schema_version: resultSchemaVersion, ...fields });
}
