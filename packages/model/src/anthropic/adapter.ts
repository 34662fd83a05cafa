/** The Anthropic adapter: the AI SDK's Messages model. */
import type { JsonObject, RequestConfig } from "@yoi/base";
import type { AdapterOptions } from "../adapter-options.ts";
import { openAdapter } from "../adapter/open-adapter.ts";
import { imageBudgets } from "../lowering/image-budget.ts";
import type { Model } from "../model.ts";
import { AnthropicAnswer } from "./answer.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const anthropicAdapter = { name: "@ai-sdk/anthropic", version: "4.0.105" } as const;

function hasSignature(metadata: JsonObject): boolean {
  const own = metadata["anthropic"];
  return typeof own === "object" && own !== null && ("signature" in own || "redactedData" in own);
}

export function openAnthropic({ apiKey, ...options }: AdapterOptions): Model {
  return openAdapter({
    ...options,
    adapter: anthropicAdapter,
    traits: ({ mid_system }: RequestConfig) => ({
      systemItems: mid_system === true ? "system" : "note",
      errorFlag: "kept",
      takesReasoning: hasSignature,
      images: "result",
      imageBudget: imageBudgets.anthropic,
      cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    }),
    load: () => import("@ai-sdk/anthropic"),
    model: ({ createAnthropic }, fetch) =>
      // Without a key it would look for one in the environment.
      createAnthropic({ baseURL: options.baseUrl.href, apiKey: apiKey ?? "none", fetch }).languageModel(
        options.id,
      ),
    answer: (context) => new AnthropicAnswer(context),
  });
}
