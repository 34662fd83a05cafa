/** Answer: how the parts of one AI SDK stream are read as neutral events; each provider adds what the SDK leaves out of its parts. */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { messageOf, noUsage, type Clock, type FinishReason, type Usage } from "@yoi/base";
import { brokenStream, failure, quote, type Endpoint } from "../failure.ts";
import type { ModelEvent, ModelFailure } from "../model.ts";
import { usageTokensMax } from "../usage-limit.ts";
import { Blocks } from "./blocks.ts";
import { explainApiError, explainErrorPart, unsendable } from "./explain.ts";

/** The errors that every SDK throws. Loaded with the first one. */
export type SdkErrors = Pick<
  typeof import("@ai-sdk/provider"),
  "APICallError" | "InvalidResponseDataError" | "TypeValidationError"
>;

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  readonly errors: SdkErrors;
}

/** Reads one answer: nothing of it outlives the request. */
export interface AnswerReader {
  /** Events of the next part. A `finish` or a `failure` is the last one. */
  read(part: LanguageModelV4StreamPart): ModelEvent[];
  /** What is known so far. */
  readonly usage: Usage;
  /** The failure of a stream that ended, or was thrown out of, without a terminal event. `sent`: the request had left. */
  explain(error: unknown, sent: boolean): ModelFailure;
}

const finishReasons: { readonly [reason: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/** A count as a provider reports it: a whole number of tokens within the limit; anything else is 0. */
export function tokenCount(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(Math.trunc(value), usageTokensMax) : 0;
}

function usageOfSdk({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    input_tokens: tokenCount(inputTokens.total),
    output_tokens: tokenCount(outputTokens.total),
    cache_read_tokens: tokenCount(inputTokens.cacheRead),
    cache_write_tokens: tokenCount(inputTokens.cacheWrite),
    reasoning_tokens: tokenCount(outputTokens.reasoning),
  };
}

/** What all providers have in common. A provider overrides what its own events say beyond the SDK's parts. */
export abstract class Answer implements AnswerReader {
  protected readonly blocks = new Blocks();
  protected readonly context: AnswerContext;
  #usage: Usage | null = null;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  get usage(): Usage {
    return this.#usage ?? noUsage;
  }

  read(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case "raw":
        return this.raw(part.rawValue);
      case "finish":
        this.#usage ??= usageOfSdk(part.usage);
        return this.#finish(part.finishReason.unified, part.finishReason.raw);
      case "error":
        return this.error(part.error);
      default:
        return this.block(part);
    }
  }

  explain(error: unknown, sent: boolean): ModelFailure {
    const { endpoint, clock, errors } = this.context;
    if (errors.APICallError.isInstance(error)) return explainApiError(endpoint, error, clock.now());
    return sent ? brokenStream(endpoint, quote(endpoint, messageOf(error))) : unsendable(endpoint, error);
  }

  /** The provider's own event, right before the parts that the SDK makes of it. */
  protected raw(_value: unknown): ModelEvent[] {
    return [];
  }

  /** A part of a block. */
  protected block(part: LanguageModelV4StreamPart): ModelEvent[] {
    return this.blocks.read(part, null);
  }

  /** The error part: the provider's error event, or a frame that the SDK could not read. */
  protected error(error: unknown): ModelEvent[] {
    const { endpoint, clock, errors } = this.context;
    if (errors.TypeValidationError.isInstance(error) && this.passesOver(error.value)) return [];
    return [this.failed(explainErrorPart(endpoint, error, clock.now()))];
  }

  /** Whether an event that the SDK does not know is one that this version need not know. */
  protected passesOver(_event: unknown): boolean {
    return false;
  }

  /** Why an answer that ended for the provider's own `reason` is empty, where the SDK's finish reason does not tell. */
  protected emptyFor(_reason: string | undefined): ModelFailure | null {
    return null;
  }

  /** What the provider's own events say of usage wins over what the SDK makes of it in the end. */
  protected setUsage(usage: Usage): void {
    this.#usage = usage;
  }

  protected failed(reason: ModelFailure): ModelEvent {
    return { type: "failure", failure: reason, usage: this.usage };
  }

  #finish(unified: string, raw: string | undefined): ModelEvent[] {
    const { endpoint } = this.context;
    const events = this.blocks.finish(unified === "length");
    const fail = (reason: ModelFailure): ModelEvent[] => [...events, this.failed(reason)];
    if (unified === "error") return fail(brokenStream(endpoint, "it says that it failed"));
    if (unified === "interrupted") return fail(brokenStream(endpoint, "it ended without its terminal event"));
    if (this.blocks.unfinished > 0) return fail(brokenStream(endpoint, "it ended inside a block"));
    if (this.blocks.any)
      return [...events, { type: "finish", reason: finishReasons[unified] ?? "other", usage: this.usage }];
    return fail(this.emptyFor(raw) ?? emptyAnswer(endpoint, unified));
  }
}

function emptyAnswer(endpoint: Endpoint, unified: string): ModelFailure {
  const at = `${endpoint.label} at ${endpoint.host}`;
  switch (unified) {
    case "content-filter":
      return failure("invalid_request", `${at} refused to answer; change the request.`, false);
    case "length":
      return failure(
        "invalid_request",
        `${at} reached the output limit before any content; raise max_output_tokens.`,
        false,
      );
    default:
      return brokenStream(endpoint, "it was empty");
  }
}
