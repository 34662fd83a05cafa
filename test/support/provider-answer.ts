/** What a provider of a test answers, described neutrally: each provider's server puts it into its own events. */

export type AnswerBlock =
  | { readonly type: "text"; readonly text: string }
  /** `signature`: whatever the provider wants back with it. */
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | { readonly type: "redacted_reasoning"; readonly data: string }
  | {
      readonly type: "tool_call";
      readonly name: string;
      /** An object is sent as its JSON; a string is sent as it is. */
      readonly arguments: object | string;
      /** Default: a fresh id for each call. */
      readonly id?: string;
    };

/** `input` is the part that was neither read from the cache nor written to it. */
export interface ServerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export const defaultUsage: ServerUsage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };

/** Where in a stream: so many frames from its start, or right after so many that carry content. */
export type StreamPosition = number | { readonly deltas: number };

/** A fault takes the place of what would have come then. */
export type StreamFault =
  | { readonly type: "end"; readonly after: StreamPosition }
  | { readonly type: "reset"; readonly after: StreamPosition }
  | { readonly type: "stall"; readonly after: StreamPosition }
  /** The raw text is sent, then the stream goes on. */
  | { readonly type: "inject"; readonly after: StreamPosition; readonly raw: string }
  /** The provider's error event, with its own name for the error. */
  | { readonly type: "error"; readonly after: StreamPosition; readonly error: StreamError };

export interface StreamError {
  readonly type: string;
  readonly message: string;
}

export interface StreamAnswer {
  readonly blocks: readonly AnswerBlock[];
  readonly usage?: Partial<ServerUsage>;
  /** Why it ended, where it is not for the blocks to tell: the output limit, or a filter. */
  readonly ended?: "length" | "content_filter";
  /** The same in the provider's own word, which wins. */
  readonly stop?: string;
  readonly fault?: StreamFault;
  /** Characters a delta. Default 16. */
  readonly pieceLength?: number;
  /** Deltas of all blocks are sent in turns, each block open until the last one is through. A protocol without open blocks sends them in order. */
  readonly interleave?: boolean;
  /** Signs of life right after the headers, before the first event. */
  readonly pingsFirst?: number;
  /** Bytes a write of the response; each is flushed on its own. Default: all events at once. */
  readonly chunkBytes?: number;
  /** Wait before the headers. */
  readonly headersDelayMs?: number;
  /** Wait between two events. */
  readonly eventDelayMs?: number;
}

/** A plain HTTP answer. An object body is sent as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: object | string;
}

/** The exact bytes of an event stream. `hold`: the connection stays open after them. */
export interface RawAnswer {
  readonly raw: string | Uint8Array;
  readonly hold?: boolean;
}

/** `silence`: the request is read and nothing is ever answered. `hang_up`: the connection is reset instead. */
export type Answer = StreamAnswer | HttpAnswer | RawAnswer | "silence" | "hang_up";

/** One server-sent event as it is written, its blank line included. */
export interface Frame {
  readonly text: string;
  /** It carries a piece of a block's content. */
  readonly delta?: boolean;
  /** The answer is whole once it has come. */
  readonly terminal?: boolean;
}

/** A provider's language: the one thing that a server of a new provider has to bring. */
export interface Dialect {
  /** The frames of an answer without its fault, in order. */
  frames(answer: StreamAnswer): readonly Frame[];
  /** Its error event. */
  errorFrame(error: StreamError): Frame;
}

export function* pieces(text: string, length = 16): Generator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

export function rawArguments(block: { readonly arguments: object | string }): string {
  return typeof block.arguments === "string" ? block.arguments : JSON.stringify(block.arguments);
}

/** How many frames come before `position`. */
export function framesBefore(frames: readonly Frame[], position: StreamPosition): number {
  if (typeof position === "number") return Math.min(position, frames.length);
  let left = position.deltas;
  const last = frames.findIndex((frame) => frame.delta === true && (left -= 1) === 0);
  if (last === -1) throw new Error(`the answer has no ${position.deltas} frames with content`);
  return last + 1;
}
