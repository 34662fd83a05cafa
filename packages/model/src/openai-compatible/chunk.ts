/** Chunk: what the SDK's parts leave out of one event of a chat completion, and the shapes that servers give to an error. */
import { isJsonObject, type JsonObject, type JsonValue, type Usage } from "@yoi/base";
import { tokenCount } from "../adapter/answer.ts";
import { objectAt } from "../adapter/json-field.ts";

export interface Chunk {
  /** The server's own; null: the answer goes on. */
  readonly finishReason: string | null;
  readonly usage: JsonObject | null;
  /** There is nothing in it to show. */
  readonly silent: boolean;
}

function firstChoice(event: JsonObject): JsonValue | undefined {
  const { choices } = event;
  return Array.isArray(choices) ? (choices as readonly JsonValue[])[0] : undefined;
}

const shown = ["content", "reasoning_content", "reasoning", "refusal", "tool_calls"] as const;

/** Reads an event as it came; null: it is no object. */
export function readChunk(value: unknown): Chunk | null {
  if (!isJsonObject(value)) return null;
  const choice = firstChoice(value);
  const reason = isJsonObject(choice) ? choice["finish_reason"] : undefined;
  const delta = objectAt(choice, "delta");
  return {
    finishReason: typeof reason === "string" && reason !== "" ? reason : null,
    usage: objectAt(value, "usage"),
    silent: !shown.some((field) => delta?.[field]),
  };
}

/**
 * Servers count the cached part of a prompt in with it; what was written to a cache is told by OpenRouter only, what was read also by
 * DeepSeek. Most count reasoning in with the answer too; of one that does not (xAI), the total is the sum of all three.
 */
export function usageOfChunk(usage: JsonObject): Usage {
  const prompt = objectAt(usage, "prompt_tokens_details");
  const completion = objectAt(usage, "completion_tokens_details");
  const input = tokenCount(usage["prompt_tokens"]);
  const answer = tokenCount(usage["completion_tokens"]);
  const reasoning = tokenCount(completion?.["reasoning_tokens"]);
  const isApart = tokenCount(usage["total_tokens"]) === input + answer + reasoning;
  return {
    input_tokens: input,
    output_tokens: isApart ? answer + reasoning : answer,
    cache_read_tokens: tokenCount(prompt?.["cached_tokens"] ?? usage["prompt_cache_hit_tokens"]),
    cache_write_tokens: tokenCount(prompt?.["cache_write_tokens"]),
    reasoning_tokens: reasoning,
  };
}

/** Whether an event that the SDK could not read is no part of an answer: keep-alives, timings, usage alone. */
export function isForeign(event: unknown): boolean {
  return isJsonObject(event) && (event["choices"] ?? event["error"] ?? null) === null;
}

/** The error that an event is: older servers send it bare, where others put it into `error`. Null: it is none. */
export function bareError(event: unknown): JsonObject | null {
  return isJsonObject(event) && event["object"] === "error" ? event : null;
}
