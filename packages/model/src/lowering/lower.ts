/** Lowering, second half: a request becomes the call options of an AI SDK model. Pure; the version below names this function. */
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { deepFreeze, YoiError, type ToolDefinition } from "@yoi/base";
import type { ModelRequest } from "../model.ts";
import { Once } from "./once.ts";
import { type LoweredPrompt, lowerPrompt, type LoweringTraits } from "./prompt.ts";
import { wellFormedObject } from "./well-formed.ts";

/** Recorded in `llm_request`. Any change of what the same request lowers to is a new version. */
export const loweringVersion = 1;

const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

function effortOf(reasoning: string): (typeof efforts)[number] {
  const effort = efforts.find((name) => name === reasoning);
  if (effort === undefined) {
    throw new YoiError(
      "config_invalid",
      `The reasoning effort ${JSON.stringify(reasoning)} is not known: use one of ${efforts.join(", ")}.`,
    );
  }
  return effort;
}

function markLastPart(message: LanguageModelV4Message, mark: SharedV4ProviderOptions): void {
  if (message.role === "system") {
    message.providerOptions = mark;
    return;
  }
  const part = message.content.at(-1);
  if (part !== undefined) part.providerOptions = mark;
}

/**
 * Marks cache breakpoints, of which providers take four: the end of the system prompt, which covers the tools before it; the end of what is
 * pruned, since what is before it stays the same when more is; the end of what the last request sent, so that it is found again however
 * many parts this step added; the end of this one.
 */
function markForCache({ prompt, prunedEnd }: LoweredPrompt, mark: SharedV4ProviderOptions): void {
  const answer = prompt.findLastIndex((message) => message.role === "assistant");
  const ends = [
    prompt[0]?.role === "system" ? prompt[0] : null,
    prunedEnd,
    prompt[answer - 1],
    prompt.at(-1),
  ];
  for (const message of new Set(ends)) {
    if (message && message.role !== "assistant") markLastPart(message, mark);
  }
}

type FunctionTool = Extract<NonNullable<LanguageModelV4CallOptions["tools"]>[number], { type: "function" }>;

const loweredTools = new Once<FunctionTool, ToolDefinition>();

function lowerTool(tool: ToolDefinition): FunctionTool {
  return loweredTools.of(tool, "", () =>
    // Frozen, because it is shared between requests. The SDK's own type for a schema is a mutable one.
    deepFreeze({
      type: "function",
      name: tool.name,
      description: tool.description.toWellFormed(),
      inputSchema: wellFormedObject(tool.input_schema) as FunctionTool["inputSchema"],
    }),
  );
}

/** Everything of a call but its signal. The same request and traits give the same options. Throws on a dangling call or an orphan result. */
export function lowerRequest(request: ModelRequest, traits: LoweringTraits): LanguageModelV4CallOptions {
  const { config, tools } = request.head;
  const lowered = lowerPrompt(request, traits);
  const { prompt } = lowered;
  if (traits.cacheMark !== null) markForCache(lowered, traits.cacheMark);
  return {
    prompt,
    ...(config.max_output_tokens !== undefined && { maxOutputTokens: config.max_output_tokens }),
    ...(config.temperature !== undefined && { temperature: config.temperature }),
    ...(config.reasoning !== undefined && { reasoning: effortOf(config.reasoning) }),
    ...(tools.length > 0 && { tools: tools.map(lowerTool) }),
  };
}
