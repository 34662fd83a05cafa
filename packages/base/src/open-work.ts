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
  /** Input plus output tokens. */
  readonly tokens: number;
}
