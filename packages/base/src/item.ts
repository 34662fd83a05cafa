/** Item: the unit of a model conversation, in the shape in which it is stored. */
import type { CallId } from "./ids.ts";
import type { InputPart } from "./input-part.ts";
import type { JsonObject } from "./json.ts";
import type { SystemItem } from "./system-item.ts";

/** `incomplete`: the stream was cut; what had arrived is kept. */
export type ItemStatus = "completed" | "incomplete";

/** What a provider wants back verbatim (signatures, encrypted reasoning, ids). Sent to the model that it came from and to no other. */
export interface ProviderData {
  readonly provider: string;
  /** The provider's id of the model; absent in older logs: any of the provider's. */
  readonly model?: string;
  readonly metadata: JsonObject;
}

export interface UserMessage {
  readonly type: "user_message";
  readonly parts: readonly InputPart[];
}

export interface AssistantMessage {
  readonly type: "assistant_message";
  readonly text: string;
  readonly status: ItemStatus;
  readonly provider_data?: ProviderData;
}

export interface Reasoning {
  readonly type: "reasoning";
  readonly text: string;
  readonly status: ItemStatus;
  readonly provider_data?: ProviderData;
}

export interface ToolCall {
  readonly type: "tool_call";
  readonly call: CallId;
  readonly name: string;
  /** The raw JSON text as the model wrote it, also when it is not valid JSON. */
  readonly arguments: string;
  /** The provider's own id for the call; kept for audit, never an identity. */
  readonly provider_call_id?: string;
  readonly provider_data?: ProviderData;
}

export const imageTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

/** A picture, whole: what the model saw is in the log, not a path to something that may change. */
export interface Image {
  readonly type: "image";
  readonly media_type: ImageType;
  /** Base64. */
  readonly data: string;
}

/** Why a call did not run. `asked`: somebody might have allowed it, and nobody could be asked. `denied`: a rule or a mode refuses it. */
export type Refusal = "asked" | "denied";

export interface ToolResult {
  readonly type: "tool_result";
  readonly call: CallId;
  readonly name: string;
  /** One or two lines, always kept. */
  readonly summary: string;
  /** The detail; later projections may leave it out of a request. */
  readonly content?: string;
  /** Shown to a model that sees images, and left out for any other. Pruned with `content`. */
  readonly images?: readonly Image[];
  readonly is_error: boolean;
  /** What the tool wants back after a restart. The model never sees it. */
  readonly record?: JsonObject;
  /** Only where the call was refused before it could start. */
  readonly refusal?: Refusal;
}

export type AssistantItem = AssistantMessage | Reasoning | ToolCall;
export type Item = UserMessage | AssistantItem | ToolResult | SystemItem;

/** An item with the log position at which it became durable. */
export interface CommittedItem {
  /** In the segment at hand. */
  readonly seq: number;
  readonly item: Item;
  /** Its `entryId`; absent: its seq. */
  readonly id?: string;
  /** What it did is in the states with which its segment began. */
  readonly folded?: boolean;
}

export function idOf({ id, seq }: Pick<CommittedItem, "id" | "seq">): string {
  return id ?? `${seq}`;
}
