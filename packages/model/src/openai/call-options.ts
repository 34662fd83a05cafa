/** What OpenAI's Responses API is told beyond the request: nothing is stored, schemas are taken as they are, and where its cache may lie. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { sha256 } from "../digest.ts";

type CallTool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];
type FunctionTool = Extract<CallTool, { type: "function" }>;

/** Strict schemas know no optional property; and one of an object has to name its properties, though there are none. */
function lenient(tool: CallTool): CallTool {
  if (tool.type !== "function") return tool;
  const { inputSchema } = tool;
  const bare = inputSchema.type === "object" && inputSchema.properties === undefined;
  const own: FunctionTool = { ...tool, strict: false };
  return bare ? { ...own, inputSchema: { ...inputSchema, properties: {} } } : own;
}

/**
 * One key for all requests of a session between two compactions, so that they are sent to where the cache of the last one lies: made of what
 * they all begin with, the system prompt and the first message.
 */
function cacheKey({ prompt }: LanguageModelV4CallOptions): string {
  return `yoi-${sha256(JSON.stringify(prompt.slice(0, 2))).slice(0, 32)}`;
}

export function callOptions(call: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  const reasons = call.reasoning !== undefined && call.reasoning !== "none";
  return {
    ...call,
    ...(call.tools !== undefined && { tools: call.tools.map(lenient) }),
    providerOptions: {
      openai: {
        store: false,
        systemMessageMode: "developer",
        promptCacheKey: cacheKey(call),
        // Whether a model reasons the SDK knows by its name only: an effort that is set says so too.
        ...(reasons && { forceReasoning: true, reasoningSummary: "auto" }),
      },
    },
  };
}
