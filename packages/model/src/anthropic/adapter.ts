/** The Anthropic adapter: the AI SDK's Messages model at its V4 interface, behind the neutral boundary. */
import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  messageOf,
  type Clock,
  type FinishReason,
  type JsonObject,
  type Price,
  type Usage,
  type WireRecord,
} from "@yoi/base";
import { brokenStream, cancelled, failure, quote, type Endpoint } from "../failure.ts";
import { loweringVersion, lowerRequest } from "../lowering/lower.ts";
import type { LoweringTraits } from "../lowering/prompt.ts";
import type {
  Model,
  ModelCapabilities,
  ModelEvent,
  ModelFailure,
  ModelLimits,
  ModelRequest,
  StreamOptions,
} from "../model.ts";
import { Pulse } from "../pulse.ts";
import { Connections } from "../wire/connections.ts";
import type { Exchange } from "../wire/exchange.ts";
import { streamLimits } from "../wire/stream-guard.ts";
import { Blocks } from "./blocks.ts";
import { explainApiError, explainErrorPart, unsendable } from "./explain.ts";
import { isUnknownKind, mergeUsage, readRaw, usageOfRaw } from "./raw.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const anthropicAdapter = { name: "@ai-sdk/anthropic", version: "4.0.105" } as const;

export interface AnthropicOptions {
  readonly id: string;
  readonly apiKey: string;
  /** With `/v1`. */
  readonly baseUrl: URL;
  readonly limits: ModelLimits;
  readonly capabilities: ModelCapabilities;
  readonly price: Price | null;
  readonly endpoint: Endpoint;
  readonly clock: Clock;
}

/** The SDK takes 80 ms to load, so it loads when it is first needed, once. */
const loadSdk = async () => {
  const [anthropic, provider] = await Promise.all([import("@ai-sdk/anthropic"), import("@ai-sdk/provider")]);
  const { createAnthropic } = anthropic;
  const { APICallError, TypeValidationError } = provider;
  return { createAnthropic, APICallError, TypeValidationError };
};
type Sdk = Awaited<ReturnType<typeof loadSdk>>;

const finishReasons: { readonly [reason: string]: FinishReason } = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

function hasSignature(metadata: JsonObject): boolean {
  const own = metadata["anthropic"];
  return typeof own === "object" && own !== null && ("signature" in own || "redactedData" in own);
}

/** One answer as it is read: nothing of it outlives the request. */
class Answer {
  readonly blocks = new Blocks();
  #usage: JsonObject | null = null;
  #number: number | null = null;
  readonly #sdk: Sdk;
  readonly #options: AnthropicOptions;

  constructor(sdk: Sdk, options: AnthropicOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  get usage(): Usage {
    return usageOfRaw(this.#usage);
  }

  read(part: LanguageModelV4StreamPart): ModelEvent[] {
    switch (part.type) {
      case "raw":
        return this.#raw(part.rawValue);
      case "finish":
        return this.#finish(part.finishReason.unified, part.finishReason.raw);
      case "error": {
        if (this.#sdk.TypeValidationError.isInstance(part.error) && isUnknownKind(part.error.value))
          return [];
        return [
          this.#failed(explainErrorPart(this.#options.endpoint, part.error, this.#options.clock.now())),
        ];
      }
      default:
        return this.blocks.read(part, this.#number);
    }
  }

  /** The failure of a stream that ended, or was thrown out of, without a terminal event. */
  explain(error: unknown, sent: boolean): ModelFailure {
    const { endpoint, clock } = this.#options;
    if (this.#sdk.APICallError.isInstance(error)) return explainApiError(endpoint, error, clock.now());
    return sent ? brokenStream(endpoint, quote(endpoint, messageOf(error))) : unsendable(endpoint, error);
  }

  #raw(value: unknown): ModelEvent[] {
    const raw = readRaw(value);
    if (raw === null) return [];
    this.#number = raw.block;
    if (raw.usage !== null) this.#usage = mergeUsage(this.#usage, raw.usage);
    if (raw.block !== null && raw.signature !== null) this.blocks.sign(raw.block, raw.signature);
    return raw.type === "ping" ? [{ type: "ping" }] : [];
  }

  #failed(reason: ModelFailure): ModelEvent {
    return { type: "failure", failure: reason, usage: this.usage };
  }

  #finish(unified: string, raw: string | undefined): ModelEvent[] {
    const { endpoint } = this.#options;
    const events = this.blocks.finish(unified === "length");
    const fail = (reason: ModelFailure): ModelEvent[] => [...events, this.#failed(reason)];
    if (unified === "interrupted") return fail(brokenStream(endpoint, "it ended without its terminal event"));
    if (this.blocks.unfinished > 0) return fail(brokenStream(endpoint, "it ended inside a block"));
    if (this.blocks.any)
      return [...events, { type: "finish", reason: finishReasons[unified] ?? "other", usage: this.usage }];
    switch (unified) {
      case "content-filter":
        return fail(
          failure(
            "invalid_request",
            `${endpoint.label} at ${endpoint.host} refused to answer; change the request.`,
            false,
          ),
        );
      case "length":
        return fail(
          raw === "model_context_window_exceeded"
            ? failure(
                "context_overflow",
                `${endpoint.label} at ${endpoint.host} has no room left to answer; shorten the session or choose a model with a larger window.`,
                false,
              )
            : failure(
                "invalid_request",
                `${endpoint.label} at ${endpoint.host} reached the output limit before any content; raise max_output_tokens.`,
                false,
              ),
        );
      default:
        return fail(brokenStream(endpoint, "it was empty"));
    }
  }
}

/** Opens the model. Nothing is sent and nothing is loaded before the first request. */
export function openAnthropic(options: AnthropicOptions): Model {
  const { endpoint } = options;
  const connections = new Connections(options.baseUrl);
  const traits: LoweringTraits = {
    provider: "anthropic",
    systemItems: options.capabilities.midSystem ? "system" : "note",
    errorFlag: "kept",
    takesReasoning: hasSignature,
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
  };

  const open = async (
    sdk: Sdk,
    call: LanguageModelV4CallOptions,
    exchange: Exchange,
    signal: AbortSignal,
  ) => {
    const provider = sdk.createAnthropic({
      baseURL: options.baseUrl.href,
      apiKey: options.apiKey,
      fetch: exchange.fetch,
    });
    const model = provider.languageModel(options.id);
    const { stream } = await model.doStream({ ...call, abortSignal: signal, includeRawChunks: true });
    return stream.getReader();
  };

  async function* stream(
    request: ModelRequest,
    { signal, beforeSend }: StreamOptions,
  ): AsyncGenerator<ModelEvent> {
    const call = lowerRequest(request, traits);
    const sdk = await loadSdk();
    const pulse = new Pulse();
    const answer = new Answer(sdk, options);
    const exchange = connections.open({
      endpoint,
      limits: streamLimits,
      beforeSend,
      onAlive: () => pulse.beat(),
    });
    const ping: ModelEvent = { type: "ping" };
    try {
      signal.throwIfAborted();
      const reader = yield* pulse.until(open(sdk, call, exchange, signal), ping);
      for (;;) {
        const { done, value } = yield* pulse.until(reader.read(), ping);
        signal.throwIfAborted();
        if (done) throw new Error("the stream ended without its terminal event");
        for (const event of answer.read(value)) {
          if (event.type === "finish") exchange.settle();
          yield event;
          if (event.type === "finish" || event.type === "failure") return;
        }
      }
    } catch (error) {
      if (exchange.refused !== null) throw exchange.refused.thrown;
      const reason = signal.aborted ? cancelled : (exchange.fault ?? answer.explain(error, exchange.sent));
      yield { type: "failure", failure: reason, usage: answer.usage };
    } finally {
      exchange.close();
    }
  }

  return {
    provider: "anthropic",
    id: options.id,
    limits: options.limits,
    capabilities: options.capabilities,
    price: options.price,
    adapter: anthropicAdapter,
    lowering: loweringVersion,
    stream,
    lower: async (request) => {
      const call = lowerRequest(request, traits);
      const sdk = await loadSdk();
      const captured: WireRecord[] = [];
      const beforeSend = async (wire: WireRecord): Promise<void> => {
        captured.push(wire);
        throw new Error("lowered only: nothing is sent");
      };
      const exchange = connections.open({ endpoint, limits: streamLimits, beforeSend, onAlive: () => {} });
      try {
        await open(sdk, call, exchange, new AbortController().signal);
      } catch (error) {
        if (exchange.refused === null) throw error;
      }
      const [wire] = captured;
      if (wire === undefined) throw new Error("the adapter answered without sending a request");
      return wire;
    },
    close: async () => connections.close(),
  };
}
