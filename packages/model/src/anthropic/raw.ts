/** What the adapter's parts leave out of an Anthropic event: the block it belongs to, partial usage, and which unknown events are harmless. */
import { isJsonObject, type JsonObject, type JsonValue, type Usage } from "@yoi/base";
import { tokenCount } from "../adapter/answer.ts";
import { objectAt, stringAt } from "../adapter/json-field.ts";

export interface RawEvent {
  readonly type: string;
  /** Index of the content block that the event is about. */
  readonly block: number | null;
  /** A thinking block's signature, whichever block was opened last. */
  readonly signature: string | null;
  /** What the event says of usage. */
  readonly usage: JsonObject | null;
}

/** Reads a raw chunk; null for anything without a type. */
export function readRaw(value: unknown): RawEvent | null {
  if (!isJsonObject(value) || typeof value["type"] !== "string") return null;
  const delta = objectAt(value, "delta");
  return {
    type: value["type"],
    block: typeof value["index"] === "number" ? value["index"] : null,
    signature: stringAt(delta, "type") === "signature_delta" ? stringAt(delta, "signature") : null,
    usage: objectAt(objectAt(value, "message"), "usage") ?? objectAt(value, "usage"),
  };
}

const knownEvents = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "error",
]);

/** Events, block kinds and delta kinds that this version does not know are passed over; a known one that is malformed is not. */
export function isUnknownKind(value: unknown): boolean {
  const raw = readRaw(value);
  if (raw === null) return false;
  if (raw.type === "content_block_start")
    return !knownBlocks.has(stringAt(objectAt(value, "content_block"), "type") ?? "text");
  if (raw.type === "content_block_delta")
    return !knownDeltas.has(stringAt(objectAt(value, "delta"), "type") ?? "text_delta");
  return !knownEvents.has(raw.type);
}

const knownBlocks = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);
const knownDeltas = new Set([
  "text_delta",
  "thinking_delta",
  "signature_delta",
  "input_json_delta",
  "citations_delta",
]);

/** Usage so far with what a later event says of it: its fields replace earlier ones, except where it says nothing. */
export function mergeUsage(earlier: JsonObject | null, later: JsonObject): JsonObject {
  const merged: { [field: string]: JsonValue | undefined } = { ...earlier };
  for (const [field, value] of Object.entries(later)) {
    if (value !== null) merged[field] = value;
  }
  return merged;
}

/** Anthropic counts the cached part of a prompt apart; ours is the whole prompt. */
export function usageOfRaw(usage: JsonObject): Usage {
  const read = tokenCount(usage["cache_read_input_tokens"]);
  const written = tokenCount(usage["cache_creation_input_tokens"]);
  return {
    input_tokens: tokenCount(usage["input_tokens"]) + read + written,
    output_tokens: tokenCount(usage["output_tokens"]),
    cache_read_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: tokenCount(objectAt(usage, "output_tokens_details")?.["thinking_tokens"]),
  };
}
