/** What model tests are made of: items, requests, and an answer read to its end. */
import type {
  CommittedItem,
  Image,
  Item,
  JsonObject,
  ProviderData,
  SystemItemKind,
  WireRecord,
} from "@yoi/base";
import { callId } from "@yoi/base";
import type { BlockKind, Model, ModelEvent, ModelFailure, ModelRequest, StreamOptions } from "@yoi/model";

export const user = (seq: number, text: string): CommittedItem => ({
  seq,
  item: { type: "user_message", parts: [{ type: "text", text }] },
});

export const note = (seq: number, body: string, kind: SystemItemKind = "notification"): CommittedItem => ({
  seq,
  item: { type: "system_item", kind, source: "host", body },
});

export const said = (seq: number, text: string, provider_data?: ProviderData): CommittedItem => ({
  seq,
  item: { type: "assistant_message", text, status: "completed", ...(provider_data && { provider_data }) },
});

export const thought = (
  seq: number,
  text: string,
  metadata: JsonObject | null,
  over: { provider?: string; model?: string; status?: "completed" | "incomplete" } = {},
): CommittedItem => ({
  seq,
  item: {
    type: "reasoning",
    text,
    status: over.status ?? "completed",
    ...(metadata && {
      provider_data: {
        provider: over.provider ?? "anthropic",
        ...(over.model !== undefined && { model: over.model }),
        metadata,
      },
    }),
  },
});

/** A call of the request at `request`, its `index`-th. */
export const call = (
  seq: number,
  request: number,
  index: number,
  args: string,
  name = "read",
): CommittedItem => ({
  seq,
  item: {
    type: "tool_call",
    call: callId(request, index),
    name,
    arguments: args,
    provider_call_id: "toolu_same",
  },
});

export const result = (
  seq: number,
  request: number,
  index: number,
  summary: string,
  over: { content?: string; is_error?: boolean; name?: string; images?: readonly Image[] } = {},
): CommittedItem => ({
  seq,
  item: {
    type: "tool_result",
    call: callId(request, index),
    name: over.name ?? "read",
    summary,
    ...(over.content !== undefined && { content: over.content }),
    ...(over.images !== undefined && { images: over.images }),
    is_error: over.is_error ?? false,
  },
});

const imageHeads = {
  "image/png": "iVBORw0KGgoA",
  "image/jpeg": "/9j/",
  "image/gif": "R0lGODlh",
  "image/webp": "UklGRgAA",
} as const;

/** The base64 of an image of that type; `rest` is base64 too. */
export const imageData = (rest: string, media_type: Image["media_type"] = "image/png"): string =>
  imageHeads[media_type] + rest;

export const picture = (rest: string, media_type: Image["media_type"] = "image/png"): Image => ({
  type: "image",
  media_type,
  data: imageData(rest, media_type),
});

export const readTool = {
  name: "read",
  description: "Reads a file.",
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export function requestOf(items: readonly CommittedItem[], over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    head: {
      system: "You are a test.",
      tools: [readTool],
      config: { model: "anthropic/claude-opus-5-5", max_output_tokens: 1000 },
    },
    items,
    projection: { prune_before: null },
    ...over,
  };
}

export interface ReadBlock {
  readonly block: BlockKind;
  readonly name?: string;
  /** What the deltas add up to. */
  streamed: string;
  /** What `block_end` says; null while the block is open. */
  text: string | null;
  metadata?: JsonObject;
}

export interface ReadAnswer {
  readonly blocks: readonly ReadBlock[];
  readonly terminal: Extract<ModelEvent, { type: "finish" | "failure" }>;
  readonly retries: readonly Extract<ModelEvent, { type: "retry" }>[];
  readonly wires: readonly WireRecord[];
}

/** Reads one answer and checks what every stream must keep: dense indexes in order of start, one terminal event, at the end. */
export async function read(
  model: Model,
  request: ModelRequest,
  over: Partial<StreamOptions> & { onEvent?: (event: ModelEvent) => void } = {},
): Promise<ReadAnswer> {
  const blocks: ReadBlock[] = [];
  const retries: Extract<ModelEvent, { type: "retry" }>[] = [];
  const wires: WireRecord[] = [];
  let terminal: ReadAnswer["terminal"] | null = null;
  const beforeSend = over.beforeSend ?? (async () => {});
  const options: StreamOptions = {
    signal: over.signal ?? new AbortController().signal,
    beforeSend: async (wire) => {
      wires.push(wire);
      await beforeSend(wire);
    },
  };
  const blockAt = (index: number): ReadBlock => {
    const block = blocks[index];
    if (block === undefined || block.text !== null)
      throw new Error(`an event for block ${index}, which is not open`);
    return block;
  };
  for await (const event of model.stream(request, options)) {
    if (terminal !== null) throw new Error(`${event.type} after ${terminal.type}`);
    over.onEvent?.(event);
    switch (event.type) {
      case "block_start":
        if (event.index !== blocks.length)
          throw new Error(`block ${event.index} starts as number ${blocks.length}`);
        blocks.push({
          block: event.block,
          ...(event.name !== undefined && { name: event.name }),
          streamed: "",
          text: null,
        });
        break;
      case "block_delta":
        blockAt(event.index).streamed += event.text;
        break;
      case "block_end": {
        const block = blockAt(event.index);
        block.text = event.text;
        if (event.metadata !== undefined) block.metadata = event.metadata;
        break;
      }
      case "retry":
        retries.push(event);
        break;
      case "ping":
        break;
      case "finish":
      case "failure":
        terminal = event;
        break;
    }
  }
  if (terminal === null) throw new Error("the stream ended without a terminal event");
  return { blocks, terminal, retries, wires };
}

/** What of a block is committed. */
export function committed(answer: ReadAnswer): unknown[] {
  return answer.blocks.map(({ block, name, text, metadata }) => ({
    block,
    ...(name !== undefined && { name }),
    text,
    ...(metadata !== undefined && { metadata }),
  }));
}

export function failureOf(answer: ReadAnswer): ModelFailure {
  if (answer.terminal.type !== "failure") throw new Error(`the answer ended with ${answer.terminal.type}`);
  return answer.terminal.failure;
}

/** The items that a worker would commit from an answer to the request at `request`, from `seq` on. */
export function itemsOf(answer: ReadAnswer, request: number, seq: number, provider: string): CommittedItem[] {
  return answer.blocks.map((block, index): CommittedItem => {
    const text = block.text ?? block.streamed;
    const data =
      block.metadata === undefined ? {} : { provider_data: { provider, metadata: block.metadata } };
    const status = block.text === null ? "incomplete" : "completed";
    const item: Item =
      block.block === "tool_call"
        ? {
            type: "tool_call",
            call: callId(request, index),
            name: block.name ?? "",
            arguments: text,
            ...data,
          }
        : { type: block.block === "text" ? "assistant_message" : "reasoning", text, status, ...data };
    return { seq: seq + index, item };
  });
}
