/** What a log leaves open: calls without a result, and blocks that were still streaming. */
import type { CallId } from "./ids.ts";

export interface UnansweredCall {
  readonly call: CallId;
  readonly name: string;
  /** Raw JSON text, as the model wrote it. */
  readonly arguments: string;
  /** A `tool_started` is on record: it may have had its effect, so it is never run again. */
  readonly started: boolean;
}

/** Pieces of a block that no `assistant_item` superseded. */
export interface PartialBlock {
  readonly request: number;
  readonly index: number;
  readonly block: "text" | "reasoning" | "tool_call";
  readonly name?: string;
  readonly text: string;
}

/** What the provider last counted: the base of every estimate. */
export interface MeasuredContext {
  /** How many items that count covers, the answer's own included. */
  readonly items: number;
  /** Input plus output tokens; 0: nobody counted them, or the count cannot be true. */
  readonly tokens: number;
  /** The model that they were counted for, as `provider/id`, and the bytes of system prompt and tools that they hold; absent: of an older log. */
  readonly model?: string;
  readonly head_bytes?: number;
}

/** Text that takes fewer tokens for its bytes is rare: a count that says so is of something else, such as the part that was not cached. */
export const bytesPerTokenMax = 8;
