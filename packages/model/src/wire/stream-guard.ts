/** StreamGuard: caps on what a provider may send, counted before anything parses it, and the signs of life that no parser reports. */

export const streamLineBytesMax = 4 * 1024 * 1024;
export const streamEventBytesMax = 8 * 1024 * 1024;
export const streamResponseBytesMax = 64 * 1024 * 1024;

const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;

export interface StreamLimits {
  readonly lineBytesMax: number;
  readonly eventBytesMax: number;
  readonly responseBytesMax: number;
}

export const streamLimits: StreamLimits = {
  lineBytesMax: streamLineBytesMax,
  eventBytesMax: streamEventBytesMax,
  responseBytesMax: streamResponseBytesMax,
};

/** Watches the bytes of one event stream (`text/event-stream`, lines ended by LF or CRLF). */
export class StreamGuard {
  readonly #limits: StreamLimits;
  #line = 0;
  #event = 0;
  #response = 0;
  /** First byte of the line. */
  #first = lineFeed;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Takes the next bytes. Gives what is over its limit, or `comment` when a comment line ended in them, or null. */
  take(chunk: Uint8Array): { readonly over: string } | "comment" | null {
    this.#response += chunk.byteLength;
    if (this.#response > this.#limits.responseBytesMax)
      return { over: `a response over ${this.#limits.responseBytesMax} bytes` };
    let comment = false;
    for (let at = 0; at < chunk.byteLength;) {
      const end = chunk.indexOf(lineFeed, at);
      const stop = end === -1 ? chunk.byteLength : end;
      if (this.#line === 0 && stop > at) this.#first = chunk[at] ?? lineFeed;
      this.#line += stop - at;
      this.#event += stop - at;
      if (this.#line > this.#limits.lineBytesMax)
        return { over: `a line over ${this.#limits.lineBytesMax} bytes` };
      if (this.#event > this.#limits.eventBytesMax)
        return { over: `an event over ${this.#limits.eventBytesMax} bytes` };
      if (end === -1) break;
      if (this.#line > 0 && this.#first === colon) comment = true;
      if (this.#line === 0 || (this.#line === 1 && this.#first === carriageReturn)) this.#event = 0;
      this.#line = 0;
      at = end + 1;
    }
    return comment ? "comment" : null;
  }
}
