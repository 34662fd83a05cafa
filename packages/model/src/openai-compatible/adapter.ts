/** The OpenAI-compatible adapter: the AI SDK's chat completions model, for servers and gateways that speak that protocol. */
import type { JsonObject, RequestConfig } from "@yoi/base";
import type { AdapterOptions } from "../adapter-options.ts";
import { openAdapter } from "../adapter/open-adapter.ts";
import { imageBudgets } from "../lowering/image-budget.ts";
import type { Model } from "../model.ts";
import { metadataKey, OpenAiCompatibleAnswer } from "./answer.ts";
import { readableFrames } from "./frames.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const openAiCompatibleAdapter = { name: "@ai-sdk/openai-compatible", version: "3.0.92" } as const;

function isOwnReasoning(metadata: JsonObject): boolean {
  return metadataKey in metadata;
}

export function openOpenAiCompatible({ apiKey, ...options }: AdapterOptions): Model {
  return openAdapter({
    ...options,
    adapter: openAiCompatibleAdapter,
    traits: ({ mid_system }: RequestConfig) => ({
      systemItems: mid_system === true ? "system" : "note",
      errorFlag: "lost",
      takesReasoning: isOwnReasoning,
      images: "behind",
      imageBudget: imageBudgets.openAiCompatible,
      cacheMark: null,
    }),
    load: () => import("@ai-sdk/openai-compatible"),
    model: ({ createOpenAICompatible }, fetch) =>
      createOpenAICompatible({
        name: metadataKey,
        baseURL: options.baseUrl.href,
        ...(apiKey !== null && { apiKey }),
        includeUsage: true,
        fetch: readableFrames(fetch),
      }).languageModel(options.id),
    answer: (context) => new OpenAiCompatibleAnswer(context, options.baseUrl),
  });
}
