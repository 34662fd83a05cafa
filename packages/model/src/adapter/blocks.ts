/** Blocks: an AI SDK stream of parts becomes the neutral block events of one answer. */
import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { JsonObject } from "@yoi/base";
import type { BlockKind, ModelEvent } from "../model.ts";

interface Block {
  readonly kind: BlockKind;
  readonly name?: string;
  readonly providerCallId?: string;
  /** Null until there is something to show: an empty block never starts. */
  index: number | null;
  text: string;
  metadata: { [provider: string]: JsonObject };
}

function merge(block: Block, metadata: SharedV4ProviderMetadata | undefined): void {
  for (const [provider, fields] of Object.entries(metadata ?? {})) {
    // The SDK's JSON type is ours but mutable.
    block.metadata[provider] = { ...block.metadata[provider], ...(fields as JsonObject) };
  }
}

/**
 * One answer's blocks. Keyed by the id of the SDK's part, except where that repeats: call ids of a provider do, so its adapter gives calls
 * the number of their block from the raw event before each part. State of one request, made anew for each.
 */
export class Blocks {
  readonly #open = new Map<string, Block>();
  #started = 0;
  #finished = 0;
  /** A call that ended without arguments. `{}`, unless the output limit cut it before its first byte: only the end of the answer tells. */
  #bare: Block | null = null;

  /** True when something of the answer was worth an event. */
  get any(): boolean {
    return this.#started > 0;
  }

  /** Blocks that have started and not ended. A complete answer leaves none. */
  get unfinished(): number {
    return this.#started - this.#finished;
  }

  /** Metadata of an open reasoning block that comes beside the SDK's parts. */
  addToReasoning(id: string, metadata: SharedV4ProviderMetadata): void {
    const block = this.#open.get(`block ${id}`);
    if (block?.kind === "reasoning") merge(block, metadata);
  }

  /** Events of one part. `id`: of the block that it is about, where the provider numbers them; null: the part's own id tells. */
  read(part: LanguageModelV4StreamPart, id: string | null): ModelEvent[] {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        return this.#begin(
          `block ${part.id}`,
          {
            kind: part.type === "text-start" ? "text" : "reasoning",
            index: null,
            text: "",
            metadata: {},
          },
          part.providerMetadata,
        );
      case "text-delta":
      case "reasoning-delta":
        return this.#delta(this.#open.get(`block ${part.id}`), part.delta, part.providerMetadata);
      case "text-end":
      case "reasoning-end":
        return this.#end(`block ${part.id}`, part.providerMetadata);
      case "tool-input-start":
        if (part.providerExecuted === true) return [];
        return this.#begin(
          this.#callKey(part.id, id),
          {
            kind: "tool_call",
            name: part.toolName,
            ...(part.id !== "" && { providerCallId: part.id }),
            index: null,
            text: "",
            metadata: {},
          },
          part.providerMetadata,
        );
      case "tool-input-delta":
        return this.#delta(this.#open.get(this.#callKey(part.id, id)), part.delta, part.providerMetadata);
      case "tool-call":
        return this.#endCall(this.#callKey(part.toolCallId, id), part.input, part.providerMetadata);
      default:
        return [];
    }
  }

  /** What was held back until the end of the answer was known. */
  finish(cut: boolean): ModelEvent[] {
    const bare = this.#bare;
    this.#bare = null;
    if (bare === null || bare.index === null) return [];
    if (!cut) bare.text = "{}";
    return [this.#ended(bare.index, bare)];
  }

  #callKey(call: string, id: string | null): string {
    return id === null ? `call ${call}` : `block ${id}`;
  }

  #begin(key: string, block: Block, metadata: SharedV4ProviderMetadata | undefined): ModelEvent[] {
    const events = this.finish(false);
    this.#open.set(key, block);
    merge(block, metadata);
    return block.kind === "tool_call" ? [...events, ...this.#start(block)] : events;
  }

  /** Starts a block that has something to show, and before it those that were opened earlier and are open still: order is the provider's. */
  #start(block: Block): ModelEvent[] {
    if (block.index !== null) return [];
    const events: ModelEvent[] = [];
    for (const open of this.#open.values()) {
      if (open === block) break;
      if (open.index === null) events.push(this.#startOne(open));
    }
    return [...events, this.#startOne(block)];
  }

  #startOne(block: Block): ModelEvent {
    const { kind, name, providerCallId } = block;
    const index = this.#started;
    block.index = index;
    this.#started += 1;
    return {
      type: "block_start",
      index,
      block: kind,
      ...(name !== undefined && { name }),
      ...(providerCallId !== undefined && { providerCallId }),
    };
  }

  #delta(
    block: Block | undefined,
    text: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): ModelEvent[] {
    if (block === undefined) return [];
    merge(block, metadata);
    if (text === "") return [];
    const events = this.#start(block);
    block.text += text;
    return block.index === null ? events : [...events, { type: "block_delta", index: block.index, text }];
  }

  #end(key: string, metadata: SharedV4ProviderMetadata | undefined): ModelEvent[] {
    const block = this.#open.get(key);
    if (block === undefined) return [];
    merge(block, metadata);
    const shown = block.index !== null || block.text !== "" || Object.keys(block.metadata).length > 0;
    const events = shown ? this.#start(block) : [];
    this.#open.delete(key);
    return block.index === null ? events : [...events, this.#ended(block.index, block)];
  }

  #endCall(key: string, input: string, metadata: SharedV4ProviderMetadata | undefined): ModelEvent[] {
    const block = this.#open.get(key);
    if (block === undefined || block.index === null) return [];
    if (block.text !== "") return this.#end(key, metadata);
    this.#open.delete(key);
    merge(block, metadata);
    // Some adapters give `{}` for no arguments; anything else came whole with the start of the block.
    if (input !== "{}" && input !== "")
      return [...this.#delta(block, input, undefined), this.#ended(block.index, block)];
    const events = this.finish(false);
    this.#bare = block;
    return events;
  }

  #ended(index: number, block: Block): ModelEvent {
    this.#finished += 1;
    const { text, metadata } = block;
    return { type: "block_end", index, text, ...(Object.keys(metadata).length > 0 && { metadata }) };
  }
}
