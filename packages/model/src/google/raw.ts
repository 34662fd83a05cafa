/** What the SDK's parts leave out of a Gemini event: usage so far, and why the answer ends. */
import { isJsonObject, type JsonObject, type Usage } from "@yoi/base";
import { tokenCount } from "../adapter/answer.ts";
import { objectAt } from "../adapter/json-field.ts";

function stringAt(value: JsonObject | null, key: string): string | null {
  const field = value?.[key];
  return typeof field === "string" && field !== "" ? field : null;
}

export interface RawEvent {
  /** Counts of the whole answer so far. */
  readonly usage: JsonObject | null;
  readonly finishReason: string | null;
  /** The provider's own words about the end. */
  readonly finishMessage: string | null;
  /** Why the prompt was not let through. */
  readonly blockReason: string | null;
  /** It has a call that names no tool: the SDK passes it over without a word. */
  readonly nameless: boolean;
}

function isNameless(part: unknown): boolean {
  if (!isJsonObject(part) || (part["functionCall"] ?? null) === null) return false;
  return stringAt(objectAt(part, "functionCall"), "name") === null;
}

export function readRaw(value: unknown): RawEvent {
  const candidates = isJsonObject(value) ? value["candidates"] : undefined;
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const candidate = isJsonObject(first) ? first : null;
  const parts = objectAt(candidate, "content")?.["parts"];
  return {
    usage: objectAt(value, "usageMetadata"),
    finishReason: stringAt(candidate, "finishReason"),
    finishMessage: stringAt(candidate, "finishMessage"),
    blockReason: stringAt(objectAt(value, "promptFeedback"), "blockReason"),
    nameless: Array.isArray(parts) && parts.some(isNameless),
  };
}

/** Gemini counts thoughts apart from the answer, and what its own tools read apart from the prompt; ours are whole. */
export function usageOfRaw(usage: JsonObject): Usage {
  const thoughts = tokenCount(usage["thoughtsTokenCount"]);
  return {
    input_tokens: tokenCount(usage["promptTokenCount"]) + tokenCount(usage["toolUsePromptTokenCount"]),
    output_tokens: tokenCount(usage["candidatesTokenCount"]) + thoughts,
    cache_read_tokens: tokenCount(usage["cachedContentTokenCount"]),
    cache_write_tokens: 0,
    reasoning_tokens: thoughts,
  };
}
