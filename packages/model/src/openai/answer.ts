/** What the SDK's parts leave out of an OpenAI answer: which call they are about, usage on failure, and what of its metadata goes back. */
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { isJsonObject, type JsonObject } from "@yoi/base";
import { Answer } from "../adapter/answer.ts";
import type { ModelEvent } from "../model.ts";
import { isUnknownItem, readRaw, usageOfRaw } from "./raw.ts";

/** Names that mean something only to a provider that keeps what it said, and what is never sent back. */
const keptThere = new Set(["itemId", "parallelToolCall", "annotations"]);

export class OpenAiAnswer extends Answer {
  /** Of the item that the event last read is about. */
  #output: string | null = null;

  protected override raw(value: unknown): ModelEvent[] {
    const raw = readRaw(value);
    this.#output = raw.output === null ? null : `output ${raw.output}`;
    if (raw.usage !== null) this.setUsage(usageOfRaw(raw.usage));
    // Thinking is many events, or one at its begin, and nothing of it is shown.
    return raw.type.endsWith(".delta") ? [] : [{ type: "ping" }];
  }

  protected override block(part: LanguageModelV4StreamPart): ModelEvent[] {
    const kept = "providerMetadata" in part ? { ...part, ...goingBack(part) } : part;
    return this.blocks.read(kept, this.#output);
  }

  protected override passesOver(event: unknown): boolean {
    return isUnknownItem(event);
  }
}

/**
 * A reasoning item goes back by its id and its encrypted content, which only the end of its last part has: earlier parts have none, since
 * the content that they begin with is not the whole. Of texts and calls, ids are left out.
 */
function goingBack(part: LanguageModelV4StreamPart & { providerMetadata?: SharedV4ProviderMetadata }): {
  providerMetadata: SharedV4ProviderMetadata;
} {
  const own = part.providerMetadata?.["openai"];
  return { providerMetadata: isJsonObject(own) ? wanted(part.type, own) : {} };
}

function wanted(type: string, own: JsonObject): SharedV4ProviderMetadata {
  const fields = type.startsWith("reasoning-") ? ofReasoning(type, own) : ofOther(own);
  return Object.keys(fields).length === 0 ? {} : { openai: fields as SharedV4ProviderMetadata[string] };
}

function ofReasoning(type: string, { itemId, reasoningEncryptedContent }: JsonObject): JsonObject {
  if (type !== "reasoning-end" || typeof reasoningEncryptedContent !== "string") return {};
  return { itemId, reasoningEncryptedContent };
}

function ofOther(own: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !keptThere.has(name)));
}
