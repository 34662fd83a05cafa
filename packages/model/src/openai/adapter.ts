/** The OpenAI adapter: the AI SDK's Responses model, without anything kept on the provider's side. */
import type { JsonObject } from "@yoi/base";
import type { AdapterOptions } from "../adapter-options.ts";
import { openAdapter } from "../adapter/open-adapter.ts";
import { imageBudgets } from "../lowering/image-budget.ts";
import type { Model } from "../model.ts";
import { OpenAiAnswer } from "./answer.ts";
import { callOptions } from "./call-options.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const openAiAdapter = { name: "@ai-sdk/openai", version: "4.0.118" } as const;

/** Without its encrypted content the provider would look for the reasoning in a store that is not used. */
function isEncrypted(metadata: JsonObject): boolean {
  const own = metadata["openai"];
  return typeof own === "object" && own !== null && "reasoningEncryptedContent" in own;
}

export function openOpenAi({ apiKey, ...options }: AdapterOptions): Model {
  return openAdapter({
    ...options,
    adapter: openAiAdapter,
    traits: () => ({
      systemItems: "developer",
      errorFlag: "kept",
      takesReasoning: isEncrypted,
      images: "result",
      imageBudget: imageBudgets.openai,
      cacheMark: null,
    }),
    load: () => import("@ai-sdk/openai"),
    model: ({ createOpenAI }, fetch) =>
      // Without a key it would look for one in the environment.
      createOpenAI({ baseURL: options.baseUrl.href, apiKey: apiKey ?? "none", fetch }).responses(options.id),
    answer: (context) => new OpenAiAnswer(context),
    callOptions,
  });
}
