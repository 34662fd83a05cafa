/** A model whose answers a test makes up, request by request, and which counts tokens as a provider would: from the bytes it is sent. */
import { canonicalJson, type FinishReason, type JsonObject, noUsage, utf8Length } from "@yoi/base";
import { prunedItem } from "../../packages/model/src/lowering/left-out.ts";
import { type Model, type ModelEvent, type ModelFailure, type ModelRequest, sha256 } from "@yoi/model";

/** What one request is answered with. */
export interface MadeAnswer {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject }[];
  /** Instead of an answer. */
  readonly failure?: ModelFailure;
  /** Nothing ever comes. */
  readonly hangs?: true;
}

export interface AnsweringOptions {
  readonly id: string;
  readonly contextWindow: number;
  readonly outputTokensMax?: number;
  /** @param n counts from 0, over all lives that share this model. */
  readonly answer: (request: ModelRequest, n: number) => MadeAnswer;
  /** Told of what is sent, with the tokens that it is counted as. */
  readonly sent?: (request: ModelRequest, tokens: number) => void;
}

export const bytesOfToken = 4;

export function answeringModel(options: AnsweringOptions): Model {
  let requests = 0;
  const lower = async ({ head, items, projection }: ModelRequest) => {
    // As every provider's lowering: what a model is shown of an item, and not what the host keeps beside it.
    const shown = items.map((one) => {
      const { item } = prunedItem(one, projection);
      if (!("record" in item)) return item;
      const { record: _, ...rest } = item;
      return rest;
    });
    const body = canonicalJson({ system: head.system, tools: head.tools, items: shown });
    return {
      sha256: sha256(body),
      bytes: utf8Length(body),
      method: "MADE",
      path: options.id,
      headers: {},
    };
  };
  return {
    provider: "made",
    id: options.id,
    limits: {
      contextWindow: options.contextWindow,
      outputTokensMax: options.outputTokensMax ?? Math.floor(options.contextWindow / 10),
    },
    capabilities: { images: false, midSystem: false },
    price: () => null,
    adapter: { name: "made", version: "1" },
    lowering: 1,
    lower,
    async *stream(request, { signal, beforeSend }): AsyncGenerator<ModelEvent> {
      const wire = await lower(request);
      await beforeSend(wire);
      const input = Math.ceil(wire.bytes / bytesOfToken);
      options.sent?.(request, input);
      const made = options.answer(request, requests);
      requests += 1;
      if (made.failure !== undefined) {
        yield { type: "failure", failure: made.failure, usage: null };
        return;
      }
      if (made.hangs === true) {
        await new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve(), { once: true }),
        );
        const failure = { kind: "cancelled", message: "Cancelled.", retryable: false } as const;
        yield { type: "failure", failure, usage: noUsage };
        return;
      }
      yield* blocksOf(made);
      const reason: FinishReason = (made.calls?.length ?? 0) > 0 ? "tool_calls" : "stop";
      const output_tokens = Math.ceil(utf8Length(canonicalJson({ ...made })) / bytesOfToken);
      yield { type: "finish", reason, usage: { ...noUsage, input_tokens: input, output_tokens } };
    },
  };
}

function* blocksOf({ text = "", calls = [] }: MadeAnswer): Generator<ModelEvent> {
  let index = 0;
  if (text !== "") {
    yield { type: "block_start", index, block: "text" };
    yield { type: "block_end", index, text };
    index += 1;
  }
  for (const { name, args } of calls) {
    yield { type: "block_start", index, block: "tool_call", name, providerCallId: `made_${index}` };
    yield { type: "block_end", index, text: JSON.stringify(args) };
    index += 1;
  }
}
