/** What the SDK's parts leave out of a chat completion: that it was cut, reasoning that goes back, usage so far, errors of many shapes. */
import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { Answer, type AnswerContext } from "../adapter/answer.ts";
import { brokenStream } from "../failure.ts";
import type { ModelEvent, ModelFailure } from "../model.ts";
import { bareError, isForeign, readChunk, usageOfChunk } from "./chunk.ts";

/** Where the adapter keeps what it wants back. */
export const metadataKey = "openai-compatible";

/** Most servers take it back as `reasoning_content`, in whichever field it came; for the others see `refused-part.ts`. */
const ownReasoning = { [metadataKey]: { reasoning_content: true } };

type Unified = LanguageModelV4FinishReason["unified"];

const unifiedReasons: { readonly [reason: string]: Unified } = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

export class OpenAiCompatibleAnswer extends Answer {
  readonly #baseUrl: URL;
  #finishReason: string | null = null;
  #hasCall = false;
  /**
   * The SDK ends every open block when the stream does, and tells only then whether it was whole: an end counts when something other than
   * the news that it was cut comes behind it.
   */
  #ends: LanguageModelV4StreamPart[] = [];

  constructor(context: AnswerContext, baseUrl: URL) {
    super(context);
    this.#baseUrl = baseUrl;
  }

  override read(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case "text-end":
      case "reasoning-end":
      case "tool-input-end":
      case "tool-call":
        this.#ends.push(part);
        return [];
      case "error":
        return super.read(part);
      case "finish":
        if (this.#finishReason === null) return [this.failed(this.#cut())];
        if (this.#finishReason === "error")
          return [this.failed(this.#broken("the server says that it failed"))];
        return [...this.#ended(), ...super.read({ ...part, finishReason: this.#reason(part.finishReason) })];
      default:
        return [...this.#ended(), ...super.read(part)];
    }
  }

  override explain(error: unknown, sent: boolean): ModelFailure {
    const failure = super.explain(error, sent);
    if (failure.kind !== "not_found" || /\/v\d+$/.test(this.#baseUrl.pathname)) return failure;
    return { ...failure, message: failure.message.replace(/\.$/, ", which ends in /v1 for most servers.") };
  }

  protected override raw(value: unknown): ModelEvent[] {
    const chunk = readChunk(value);
    if (chunk === null) return [];
    if (chunk.usage !== null) this.setUsage(usageOfChunk(chunk.usage));
    this.#finishReason = chunk.finishReason ?? this.#finishReason;
    return chunk.silent ? [{ type: "ping" }] : [];
  }

  protected override block(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case "reasoning-start":
        return super.block({ ...part, providerMetadata: { ...part.providerMetadata, ...ownReasoning } });
      case "tool-call":
        this.#hasCall = true;
        return super.block(part.input === "" ? { ...part, input: "{}" } : part);
      default:
        return super.block(part);
    }
  }

  protected override error(error: unknown): ModelEvent[] {
    const { InvalidResponseDataError, TypeValidationError } = this.context.errors;
    if (InvalidResponseDataError.isInstance(error) && this.#finishReason === null)
      return [this.failed(this.#cut())];
    return super.error((TypeValidationError.isInstance(error) && bareError(error.value)) || error);
  }

  protected override passesOver(event: unknown): boolean {
    return isForeign(event);
  }

  #ended(): ModelEvent[] {
    return this.#ends.splice(0).flatMap((end) => super.read(end));
  }

  #cut(): ModelFailure {
    return this.#broken("it ended without its terminal event");
  }

  #broken(what: string): ModelFailure {
    return brokenStream(this.context.endpoint, what);
  }

  /** The SDK forgets the server's word over an event that it does not know; and some servers say `stop` of an answer that calls. */
  #reason({ unified }: LanguageModelV4FinishReason): LanguageModelV4FinishReason {
    const raw = this.#finishReason ?? undefined;
    const said = unified === "error" ? (unifiedReasons[raw ?? ""] ?? "other") : unified;
    return { raw, unified: said === "stop" && this.#hasCall ? "tool-calls" : said };
  }
}
