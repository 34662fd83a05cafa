/** The Anthropic adapter: the AI SDK's Messages model. */
import type { JsonObject, RequestConfig } from "@yoi/base";
import { openAdapter, type AdapterOptions } from "../adapter/open-adapter.ts";
import type { LoweringTraits } from "../lowering/prompt.ts";
import type { Model } from "../model.ts";
import { AnthropicAnswer } from "./answer.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const anthropicAdapter = { name: "@ai-sdk/anthropic", version: "4.0.105" } as const;

function hasSignature(metadata: JsonObject): boolean {
  const own = metadata["anthropic"];
  return typeof own === "object" && own !== null && ("signature" in own || "redactedData" in own);
}

const traits = ({ mid_system }: RequestConfig): LoweringTraits => ({
  provider: "anthropic",
  systemItems: mid_system === true ? "system" : "note",
  errorFlag: "kept",
  takesReasoning: hasSignature,
  cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
});

export function openAnthropic({ apiKey, ...options }: AdapterOptions): Model {
  return openAdapter({
    ...options,
    provider: "anthropic",
    adapter: anthropicAdapter,
    traits,
    load: () => import("@ai-sdk/anthropic"),
    model: ({ createAnthropic }, fetch) =>
      createAnthropic({ baseURL: options.baseUrl.href, apiKey, fetch }).languageModel(options.id),
    answer: (context) => new AnthropicAnswer(context),
  });
}
