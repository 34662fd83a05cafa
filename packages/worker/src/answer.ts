/** Answer: the blocks of one answer as they arrive, in the model's order. Made for one request and dropped with it: nothing leaks into the next. */
import {
  type AssistantItem,
  type AssistantItemEntry,
  callId,
  cutUtf8,
  type ItemStatus,
  type JsonObject,
  type ProviderData,
} from "@yoi/base";
import type { BlockKind, Model, ModelEvent } from "@yoi/model";
import { isBlank } from "./request-order.ts";

/** The name of a call is kept as the model wrote it, up to here: longer than any tool's, so that a cut one names no tool. */
export const toolNameBytesMax = 256;

export type BlockEvent = Extract<ModelEvent, { type: "block_start" | "block_delta" | "block_end" }>;

export interface Block {
  readonly index: number;
  readonly block: BlockKind;
  readonly name: string;
  readonly providerCallId: string | undefined;
  /** What has arrived in pieces: shown already, and on record as far as it came. */
  text: string;
  /** What is committed, once the block has ended. */
  whole: string | null;
  metadata: JsonObject | undefined;
}

export class Answer {
  readonly #maker: Pick<Model, "provider" | "id">;
  readonly #generation: number;
  readonly #blocks = new Map<number, Block>();

  /** @param generation of the segment that the answer goes into. */
  constructor(maker: Pick<Model, "provider" | "id">, generation: number) {
    this.#maker = maker;
    this.#generation = generation;
  }

  /** Something of it has arrived. */
  get begun(): boolean {
    return this.#blocks.size > 0;
  }

  get hasCalls(): boolean {
    return this.#inOrder().some((block) => block.block === "tool_call");
  }

  apply(event: BlockEvent): Block {
    if (event.type === "block_start") {
      if (this.#blocks.has(event.index)) throw new Error(`the model started block ${event.index} twice`);
      const block: Block = {
        index: event.index,
        block: event.block,
        name: cutUtf8(event.name ?? "", toolNameBytesMax),
        providerCallId: event.providerCallId,
        text: "",
        whole: null,
        metadata: undefined,
      };
      this.#blocks.set(event.index, block);
      return block;
    }
    const block = this.#blocks.get(event.index);
    if (block === undefined || block.whole !== null)
      throw new Error(`the model sent a piece of block ${event.index}, which is not open`);
    if (event.type === "block_delta") {
      block.text += event.text;
    } else {
      block.whole = event.text;
      block.metadata = event.metadata;
    }
    return block;
  }

  /**
   * The items of a complete answer. `truncated`: it stopped at a limit in the middle, so its last block is not whole.
   * Blank texts without provider data are left out: no request could hold them.
   */
  complete(request: number, truncated: boolean): CompleteAnswer {
    const blocks = this.#inOrder();
    const last = blocks.at(-1);
    const isCut = (block: Block) => block.whole === null || (truncated && block === last);
    const entries = blocks.flatMap((block) =>
      this.#entry(request, block, isCut(block) ? "incomplete" : "completed"),
    );
    const cutCall = last !== undefined && last.block === "tool_call" && isCut(last) ? last.index : null;
    return { entries, cutCall };
  }

  /** What is kept of an answer that broke off: texts and reasoning. Its calls are dropped. */
  broken(request: number): BrokenAnswer {
    const blocks = this.#inOrder();
    return {
      entries: blocks
        .filter((block) => block.block !== "tool_call")
        .flatMap((block) => this.#entry(request, block, block.whole !== null ? "completed" : "incomplete")),
      droppedCalls: blocks.filter((block) => block.block === "tool_call").map((block) => block.name),
    };
  }

  #inOrder(): Block[] {
    return [...this.#blocks.values()].sort((a, b) => a.index - b.index);
  }

  #entry(request: number, block: Block, status: ItemStatus): AssistantItemEntry[] {
    const item = this.#item(request, block, status);
    if (isBlank(item)) return [];
    return [{ kind: "assistant_item", request, index: block.index, item }];
  }

  #item(request: number, block: Block, status: ItemStatus): AssistantItem {
    const text = block.whole ?? block.text;
    const { provider, id: model } = this.#maker;
    const { metadata } = block;
    const data: { provider_data?: ProviderData } =
      metadata === undefined ? {} : { provider_data: { provider, model, metadata } };
    switch (block.block) {
      case "text":
        return { type: "assistant_message", text, status, ...data };
      case "reasoning":
        return { type: "reasoning", text, status, ...data };
      case "tool_call":
        return {
          type: "tool_call",
          call: callId(request, block.index, this.#generation),
          name: block.name,
          arguments: text,
          ...(block.providerCallId === undefined ? {} : { provider_call_id: block.providerCallId }),
          ...data,
        };
    }
  }
}

export interface CompleteAnswer {
  readonly entries: readonly AssistantItemEntry[];
  /** Index of a call whose arguments may not be whole. */
  readonly cutCall: number | null;
}

export interface BrokenAnswer {
  readonly entries: readonly AssistantItemEntry[];
  /** Names of the tools that it was calling. */
  readonly droppedCalls: readonly string[];
}
