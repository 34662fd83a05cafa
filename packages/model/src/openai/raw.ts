/** What the SDK's parts leave out of an event of the Responses API: the item it belongs to, usage, and which unknown items are harmless. */
import { isJsonObject, type JsonObject, type Usage } from "@yoi/base";
import { tokenCount } from "../adapter/answer.ts";
import { objectAt } from "../adapter/json-field.ts";

export interface RawEvent {
  readonly type: string;
  /** Index of the output item that the event is about. */
  readonly output: number | null;
  /** Of the whole answer; comes with its end. */
  readonly usage: JsonObject | null;
}

export function readRaw(value: unknown): RawEvent {
  const event = isJsonObject(value) ? value : {};
  return {
    type: typeof event["type"] === "string" ? event["type"] : "",
    output: typeof event["output_index"] === "number" ? event["output_index"] : null,
    usage: objectAt(objectAt(event, "response"), "usage"),
  };
}

const knownItems = new Set(["message", "reasoning", "function_call"]);

/** An item of a later version, or of a tool that yoi does not offer, is passed over; a known one that is malformed is not. */
export function isUnknownItem(value: unknown): boolean {
  const { type } = readRaw(value);
  if (type !== "response.output_item.added" && type !== "response.output_item.done") return false;
  const item = objectAt(value, "item");
  return typeof item?.["type"] === "string" && !knownItems.has(item["type"]);
}

/** OpenAI counts the cached part of a prompt in with it. */
export function usageOfRaw(usage: JsonObject): Usage {
  const input = objectAt(usage, "input_tokens_details");
  return {
    input_tokens: tokenCount(usage["input_tokens"]),
    output_tokens: tokenCount(usage["output_tokens"]),
    cache_read_tokens: tokenCount(input?.["cached_tokens"]),
    cache_write_tokens: tokenCount(input?.["cache_write_tokens"]),
    reasoning_tokens: tokenCount(objectAt(usage, "output_tokens_details")?.["reasoning_tokens"]),
  };
}
