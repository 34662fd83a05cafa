/** openAdapter: an AI SDK model at its V4 interface behind the neutral boundary; what every provider's adapter shares. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { RequestConfig, WireRecord } from "@yoi/base";
import type { AdapterOptions } from "../adapter-options.ts";
import { cancelled } from "../failure.ts";
import { loweringVersion, lowerRequest } from "../lowering/lower.ts";
import type { LoweringTraits } from "../lowering/prompt.ts";
import type { BeforeSend, Model, ModelEvent, ModelFailure, ModelRequest, StreamOptions } from "../model.ts";
import { Pulse } from "../pulse.ts";
import { Connections } from "../wire/connections.ts";
import type { Exchange } from "../wire/exchange.ts";
import { streamLimits } from "../wire/stream-guard.ts";
import type { AnswerContext, AnswerReader } from "./answer.ts";
import { imageBytes, namedItems } from "./named-items.ts";

/** What is a provider's own. */
export interface AdapterSpec<Sdk> extends Omit<AdapterOptions, "apiKey"> {
  readonly adapter: { readonly name: string; readonly version: string };
  /** Of a request with this configuration. */
  traits(config: RequestConfig): Omit<LoweringTraits, "maker">;
  /** Imports the SDK. */
  load(): Promise<Sdk>;
  model(sdk: Sdk, fetch: typeof globalThis.fetch): LanguageModelV4;
  answer(context: AnswerContext): AnswerReader;
  /** The call as this provider needs it, with options of its own. Pure. */
  callOptions?(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions;
}

/** Node loads its `fetch` when one of its classes is first named, as the SDK does in the first request: 16 ms that had better pass here. */
function loadingFetch<Loaded>(loaded: Loaded): Loaded {
  if (typeof Headers !== "function")
    throw new Error("this Node has no fetch: start it without switching that off");
  return loaded;
}

const ping: ModelEvent = { type: "ping" };

/** Opens the model. Nothing is sent before the first request; the SDK begins to load at once. */
export function openAdapter<Sdk>(spec: AdapterSpec<Sdk>): Model {
  const { endpoint, clock } = spec;
  const connections = new Connections(spec.baseUrl);
  // It takes tens of milliseconds, which pass while a Pod that is being opened waits for its sandbox and its disk.
  const library = Promise.all([spec.load(), import("@ai-sdk/provider")]).then(loadingFetch);
  // A failure is for whoever asks.
  library.catch(() => undefined);

  const lowered = (request: ModelRequest): LanguageModelV4CallOptions => {
    const traits = { ...spec.traits(request.head.config), maker: spec };
    const call = lowerRequest(request, traits);
    return spec.callOptions?.(call) ?? call;
  };
  const exchangeOf = (beforeSend: BeforeSend, onAlive: () => void): Exchange =>
    connections.open({ endpoint, limits: streamLimits, beforeSend, onAlive });
  const open = async (
    sdk: Sdk,
    call: LanguageModelV4CallOptions,
    exchange: Exchange,
    abortSignal: AbortSignal,
  ) => {
    const model = spec.model(sdk, exchange.fetch);
    const { stream } = await model.doStream({ ...call, abortSignal, includeRawChunks: true });
    return stream.getReader();
  };

  /** The body that was sent: the same request gives the same one again. Null: it cannot be made. */
  const bodyOf = async (sdk: Sdk, request: ModelRequest): Promise<string | null> => {
    let body: string | null = null;
    const capture: typeof globalThis.fetch = (_input, init) => {
      if (typeof init?.body === "string") body = init.body;
      return Promise.reject(new Error("lowered only: nothing is sent"));
    };
    try {
      await spec.model(sdk, capture).doStream(lowered(request));
    } catch {
      // In that error, or in the one with which the request failed before it was sent.
    }
    return body;
  };
  /** What was refused, with the items that it is about. A body that is too large is so for its images where they are most of it. */
  const withItems = async (request: ModelRequest, sdk: Sdk, refusal: ModelFailure): Promise<ModelFailure> => {
    const { about, at, status } = refusal;
    const bytes = status === 413 && about === undefined ? imageBytes(request) : 0;
    if (at === undefined && bytes === 0) return refusal;
    const body = await bodyOf(sdk, request);
    if (body === null) return refusal;
    if (bytes * 2 > body.length) return { ...refusal, about: "images" };
    if (about === undefined || at === undefined) return refusal;
    const items = namedItems(request, { about, at, maker: spec }, JSON.parse(body));
    return items.length === 0 ? refusal : { ...refusal, items };
  };

  async function* stream(
    request: ModelRequest,
    { signal, beforeSend }: StreamOptions,
  ): AsyncGenerator<ModelEvent> {
    const call = lowered(request);
    const [sdk, errors] = await library;
    const pulse = new Pulse();
    const answer = spec.answer({ endpoint, clock, errors });
    const exchange = exchangeOf(beforeSend, () => pulse.beat());
    try {
      signal.throwIfAborted();
      const reader = yield* pulse.until(open(sdk, call, exchange, signal), ping);
      for (;;) {
        const { done, value } = yield* pulse.until(reader.read(), ping);
        signal.throwIfAborted();
        if (done) throw new Error("the stream ended without its terminal event");
        for (const event of answer.read(value)) {
          if (event.type === "finish") exchange.settle();
          if (event.type === "failure")
            yield { ...event, failure: await withItems(request, sdk, event.failure) };
          else yield event;
          if (event.type === "finish" || event.type === "failure") return;
        }
      }
    } catch (error) {
      if (exchange.refused !== null) throw exchange.refused.thrown;
      const reason = signal.aborted ? cancelled : (exchange.fault ?? answer.explain(error, exchange.sent));
      const failure = await withItems(request, sdk, reason);
      yield { type: "failure", failure, usage: exchange.taken ? answer.usage : null };
    } finally {
      exchange.close();
    }
  }

  async function lower(request: ModelRequest): Promise<WireRecord> {
    const call = lowered(request);
    const [sdk] = await library;
    const captured: WireRecord[] = [];
    const capture: BeforeSend = async (wire) => {
      captured.push(wire);
      throw new Error("lowered only: nothing is sent");
    };
    const exchange = exchangeOf(capture, () => {});
    try {
      await open(sdk, call, exchange, new AbortController().signal);
    } catch (error) {
      if (exchange.refused === null) throw error;
    }
    const [wire] = captured;
    if (wire === undefined) throw new Error("the adapter answered without sending a request");
    return wire;
  }

  return {
    provider: spec.provider,
    id: spec.id,
    limits: spec.limits,
    capabilities: spec.capabilities,
    price: spec.price,
    adapter: spec.adapter,
    lowering: loweringVersion,
    stream,
    lower,
    close: async () => connections.close(),
  };
}
