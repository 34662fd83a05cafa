/** Lowering, first half: items of a request become the messages of an AI SDK prompt. Pure. */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import {
  deepFreeze,
  flattenInput,
  idOf,
  imageTypes,
  type CommittedItem,
  type Image,
  type ImageType,
  type JsonObject,
  type Projection,
  type ToolResult,
} from "@yoi/base";
import type { ModelRequest } from "../model.ts";
import { argumentsObject, assertCallsAnswered, wireCallId, wireToolName } from "./calls.ts";
import { firstShown, type ImageBudget } from "./image-budget.ts";
import { imagePart, imagesBehind, seenImages, type UserPart } from "./images.ts";
import { isPruned, isQuarantined, prunedItem } from "./left-out.ts";
import { sendableText, wrapNote } from "./note.ts";
import { Once } from "./once.ts";
import { type Maker, ownMetadata } from "./own-metadata.ts";

/** Where providers differ. Data of the adapter and the catalog, fixed for the life of a model. */
export interface LoweringTraits {
  /** Whose `ProviderData` may be sent: what another model made is refused, and with it every later request. */
  readonly maker: Maker;
  /**
   * `note`: a system item is user-role text in a `yoi-note` tag. `system`: it has the system role. `developer`: the same, and the adapter
   * makes it role developer, wherever it stands.
   */
  readonly systemItems: "note" | "system" | "developer";
  /** `lost`: the adapter drops the error flag of a result, so the text has to say it. */
  readonly errorFlag: "kept" | "lost";
  /** Whether the provider takes this reasoning back. What it would refuse is left out. */
  readonly takesReasoning: (metadata: JsonObject) => boolean;
  /** An answer may end in reasoning, or be nothing else. Absent: most refuse it, and with it every later request. */
  readonly endsInReasoning?: true;
  /** Whether a text without a visible character is sent for the sake of this data with it. Absent: never, most would refuse it. */
  readonly takesBlankText?: (metadata: JsonObject) => boolean;
  /** `result`: a tool result may hold images. `behind`: they are user-role parts after all results of the step. */
  readonly images: "result" | "behind";
  /** Images that the provider takes; absent: of every type. */
  readonly imageTypes?: readonly ImageType[];
  /** What all images of a request may come to. */
  readonly imageBudget: ImageBudget;
  /** Options that mark a cache breakpoint, or null. */
  readonly cacheMark: SharedV4ProviderOptions | null;
}

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantPart = Assistant["content"][number];
type ToolPart = Extract<LanguageModelV4Message, { role: "tool" }>["content"][number];

/** The stored metadata is the adapter's own, keyed by provider, back in its types: those are the same JSON, but mutable. */
function optionsOf(metadata: JsonObject | null): { providerOptions?: SharedV4ProviderOptions } {
  return metadata === null ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

interface ResultContext {
  readonly projection: Projection;
  /** Shown in the result itself. */
  readonly images: readonly Image[];
  /** In their place. */
  readonly instead: string;
  readonly traits: LoweringTraits;
}

/** Escaped texts of items: looking for tags takes longer than everything else here. */
const texts = new Once<string>();
const argumentObjects = new Once<JsonObject>();

function resultPart(
  committed: CommittedItem,
  item: ToolResult,
  { projection, images, instead, traits }: ResultContext,
): ToolPart {
  // A result of several parts has no error flag with any provider.
  const marked = item.is_error && (traits.errorFlag === "lost" || images.length > 0);
  const pruned = isPruned(committed, projection);
  const value = texts.of(item, `${pruned} ${marked} ${instead}`, () => {
    const { item: sent } = prunedItem(committed, projection);
    const content = "content" in sent ? sent.content : undefined;
    const text = content ? `${item.summary}\n${content}` : item.summary;
    const lines = [marked ? `Error: ${text}` : text, instead].filter((line) => line.trim() !== "");
    return sendableText(lines.length === 0 ? "(no output)" : lines.join("\n"));
  });
  const type = item.is_error ? "error-text" : "text";
  return {
    type: "tool-result",
    toolCallId: wireCallId(item.call),
    toolName: wireToolName(item.name),
    output:
      images.length === 0
        ? { type, value }
        : { type: "content", value: [{ type: "text", text: value }, ...images.map(imagePart)] },
  };
}

function assistantPart(
  committed: CommittedItem,
  traits: LoweringTraits,
  projection: Projection,
): AssistantPart | null {
  const { seq, item } = committed;
  const isRefused =
    seq < (projection.reasoning_before ?? 0) || isQuarantined(committed, "reasoning", projection);
  const metadata = isRefused ? null : ownMetadata(item, traits.maker);
  switch (item.type) {
    case "assistant_message": {
      const taken = metadata !== null && traits.takesBlankText?.(metadata) === true;
      if (item.text.trim() === "" && !taken) return null;
      return { type: "text", text: item.text.toWellFormed(), ...optionsOf(metadata) };
    }
    case "reasoning": {
      if (item.status === "incomplete" || metadata === null || !traits.takesReasoning(metadata)) return null;
      return { type: "reasoning", text: item.text.toWellFormed(), ...optionsOf(metadata) };
    }
    case "tool_call":
      return {
        type: "tool-call",
        toolCallId: wireCallId(item.call),
        toolName: wireToolName(item.name),
        // Frozen, because it is shared with what is made of later requests.
        input: argumentObjects.of(item, "", () => deepFreeze(argumentsObject(item.arguments))),
        ...optionsOf(metadata),
      };
    case "user_message":
    case "tool_result":
    case "system_item":
      return null;
  }
}

/** Cuts the reasoning that an answer ends in, and tells whether anything is left of it. */
function endsInMoreThanReasoning(message: LanguageModelV4Message): boolean {
  if (message.role !== "assistant") return true;
  message.content.splice(message.content.findLastIndex(({ type }) => type !== "reasoning") + 1);
  return message.content.length > 0;
}

export interface LoweredPrompt {
  readonly prompt: LanguageModelV4Prompt;
  /** The last message, of no answer, before what pruning leaves whole; null: nothing is pruned. */
  readonly prunedEnd: LanguageModelV4Message | null;
}

/**
 * The prompt of a request: the system prompt, then the items in their order; the parts of one answer and the results of one step
 * are one message each. Throws on a dangling call or an orphan result.
 */
export function lowerPrompt(request: ModelRequest, traits: LoweringTraits): LoweredPrompt {
  assertCallsAnswered(request.items);
  const { system, config } = request.head;
  const { projection } = request;
  const sight = { images: config.images === true, types: traits.imageTypes ?? imageTypes, projection };
  const prompt: LanguageModelV4Prompt =
    system === "" ? [] : [{ role: "system", content: system.toWellFormed() }];
  /** Images of the results of a step that is not over yet. */
  let behind: UserPart[] = [];
  const user = (content: UserPart[]): void => {
    if (content.length > 0) prompt.push({ role: "user", content });
  };
  const userText = (text: string): void => user(text.trim() === "" ? [] : [{ type: "text", text }]);
  const firstWithRoom = firstShown(request.items, sight, traits.imageBudget);
  let prunedEnd: LanguageModelV4Message | null = null;
  for (const [index, committed] of request.items.entries()) {
    const { item } = committed;
    if (item.type !== "tool_result" && behind.length > 0) {
      user(behind);
      behind = [];
    }
    const isWhole = projection.prune_before !== null && committed.seq >= projection.prune_before;
    if (isWhole) prunedEnd ??= prompt.findLast(({ role }) => role !== "assistant") ?? null;
    const { shown, instead } = seenImages(committed, sight, index >= firstWithRoom);
    const last = prompt.at(-1);
    switch (item.type) {
      case "user_message":
        userText(texts.of(item, "", () => sendableText(flattenInput(item.parts))));
        break;
      case "system_item": {
        const body = instead === "" ? item.body : `${item.body}\n${instead}`;
        if (body.trim() === "" && shown.length === 0) break;
        const noted = wrapNote(idOf(committed), { ...item, body });
        // No other role than that of the user holds images.
        if (shown.length > 0) user([{ type: "text", text: noted }, ...shown.map(imagePart)]);
        // Without a system prompt, most adapters would take the first system message of the history for it.
        else if (traits.systemItems === "developer" || (traits.systemItems === "system" && system !== ""))
          prompt.push({ role: "system", content: sendableText(body) });
        else userText(noted);
        break;
      }
      case "tool_result": {
        const inside = traits.images === "result" ? shown : [];
        const part = resultPart(committed, item, { projection, images: inside, instead, traits });
        if (last?.role === "tool") last.content.push(part);
        else prompt.push({ role: "tool", content: [part] });
        if (inside.length < shown.length) behind.push(...imagesBehind(idOf(committed), item, shown));
        break;
      }
      case "assistant_message":
      case "reasoning":
      case "tool_call": {
        const part = assistantPart(committed, traits, projection);
        if (part === null) break;
        if (last?.role === "assistant") last.content.push(part);
        else prompt.push({ role: "assistant", content: [part] });
        break;
      }
    }
  }
  user(behind);
  return {
    prompt: traits.endsInReasoning === true ? prompt : prompt.filter(endsInMoreThanReasoning),
    prunedEnd,
  };
}
