/** The Google adapter: the AI SDK's Gemini model. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { deepFreeze, YoiError, type JsonObject } from "@yoi/base";
import type { AdapterOptions } from "../adapter-options.ts";
import { openAdapter } from "../adapter/open-adapter.ts";
import { quote } from "../failure.ts";
import { imageBudgets } from "../lowering/image-budget.ts";
import { Once } from "../lowering/once.ts";
import type { Model } from "../model.ts";
import { GoogleAnswer } from "./answer.ts";
import { acceptedSchema } from "./tool-schema.ts";

/** Pinned, and compared with what is installed by a test: a patch release may change the bytes of a request. */
export const googleAdapter = { name: "@ai-sdk/google", version: "4.0.121" } as const;

/** A summary of thoughts means nothing to Gemini: what it wants back is the signature. */
function hasSignature(metadata: JsonObject): boolean {
  const own = metadata["google"];
  return typeof own === "object" && own !== null && "thoughtSignature" in own;
}

type CallTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** A tool is lowered once, so it is the same one in every request. */
const acceptedTools = new Once<CallTool, CallTool>();

function accepted(tool: CallTool): CallTool {
  if (tool.type !== "function") return tool;
  return acceptedTools.of(tool, "", () =>
    deepFreeze({ ...tool, inputSchema: acceptedSchema(tool.inputSchema) }),
  );
}

function callOptions(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const thinks = call.reasoning !== undefined && call.reasoning !== "none";
  return {
    ...call,
    ...(call.tools !== undefined && { tools: call.tools.map(accepted) }),
    // Gemini thinks without a word about it unless it is asked for one.
    ...(thinks && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
  };
}

/** The SDK asks for the rest of a long answer by itself: that would be a request which is on no record. */
function once(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  let used = false;
  return (input, init) => {
    if (used) return Promise.reject(new Error("one record, one request"));
    used = true;
    return fetch(input, init);
  };
}

/** Throws config_invalid for an id that would change the path of the request. */
export function openGoogle({ apiKey, ...options }: AdapterOptions): Model {
  const { id, endpoint } = options;
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(id))
    throw new YoiError(
      "config_invalid",
      `The model id "${quote(endpoint, id)}" is none of ${endpoint.label}: write it as in gemini-2.5-flash.`,
    );
  return openAdapter({
    ...options,
    adapter: googleAdapter,
    traits: () => ({
      systemItems: "note",
      errorFlag: "kept",
      takesReasoning: hasSignature,
      endsInReasoning: true,
      takesBlankText: hasSignature,
      images: "behind",
      imageTypes: ["image/png", "image/jpeg", "image/webp"],
      imageBudget: imageBudgets.google,
      cacheMark: null,
    }),
    load: () => import("@ai-sdk/google"),
    model: ({ createGoogle }, fetch) =>
      createGoogle({
        baseURL: options.baseUrl.href,
        // Without a key it would look for one in the environment.
        apiKey: apiKey ?? "none",
        fetch: once(fetch),
        // For calls without an id: made up here, it would be on record as the provider's.
        generateId: () => "",
      }).languageModel(id),
    answer: (context) => new GoogleAnswer(context),
    callOptions,
  });
}
