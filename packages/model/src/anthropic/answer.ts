/** What the SDK's parts leave out of an Anthropic answer: block numbers, signatures that come late, partial usage, unknown events. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonObject } from "@yoi/base";
import { Answer } from "../adapter/answer.ts";
import { failure } from "../failure.ts";
import type { ModelEvent, ModelFailure } from "../model.ts";
import { isUnknownKind, mergeUsage, readRaw, usageOfRaw } from "./raw.ts";

export class AnthropicAnswer extends Answer {
  #reported: JsonObject | null = null;
  /** Of the block that the event last read is about. */
  #block: string | null = null;

  protected override raw(value: unknown): ModelEvent[] {
    const raw = readRaw(value);
    if (raw === null) return [];
    this.#block = raw.block === null ? null : String(raw.block);
    if (raw.usage !== null) {
      this.#reported = mergeUsage(this.#reported, raw.usage);
      this.setUsage(usageOfRaw(this.#reported));
    }
    // The SDK drops the signature of a thinking block when another block was opened since.
    if (this.#block !== null && raw.signature !== null)
      this.blocks.addToReasoning(this.#block, { anthropic: { signature: raw.signature } });
    return raw.type === "ping" ? [{ type: "ping" }] : [];
  }

  protected override block(part: LanguageModelV4StreamPart): ModelEvent[] {
    return this.blocks.read(part, this.#block);
  }

  protected override passesOver(event: unknown): boolean {
    return isUnknownKind(event);
  }

  protected override emptyFor(reason: string | undefined): ModelFailure | null {
    if (reason !== "model_context_window_exceeded") return null;
    const { label, host } = this.context.endpoint;
    return failure(
      "context_overflow",
      `${label} at ${host} has no room left to answer; shorten the session or choose a model with a larger window.`,
      false,
    );
  }
}
