/** What a run was refused, from the record alone: it holds over pauses, crashes and changes of the process. */
import {
  type CallId,
  type CommittedItem,
  isJsonObject,
  type JsonObject,
  type Refusal,
  type ToolCall,
} from "@yoi/base";
import { targetOf } from "@yoi/manifest";

/** A call that was refused; listed in the result of a run. */
export interface PermissionDenial {
  readonly call: CallId;
  readonly tool: string;
  /** What the call was about, as the model wrote it. */
  readonly target: string;
  readonly reason: string;
  readonly kind: Refusal;
}

export interface RunDenials {
  /** In log order. */
  readonly denials: readonly PermissionDenial[];
  /** The last calls that the model made hold one that somebody would have had to allow. */
  readonly lastAsked: boolean;
}

/** Of the run that the last user's input began, however often it was resumed. */
export function denialsOfRun(items: readonly CommittedItem[]): RunDenials {
  const begun = items.findLastIndex(({ item }) => item.type === "user_message");
  const calls = new Map<CallId, ToolCall>();
  const denials: PermissionDenial[] = [];
  let lastBatch: string | null = null;
  for (const { item } of items.slice(begun + 1)) {
    if (item.type === "tool_call") {
      calls.set(item.call, item);
      lastBatch = requestOf(item.call);
    }
    if (item.type !== "tool_result" || item.refusal === undefined) continue;
    const args = argumentsOf(calls.get(item.call));
    denials.push({
      call: item.call,
      tool: item.name,
      target: targetOf(item.name, args).text,
      reason: item.summary,
      kind: item.refusal,
    });
  }
  const lastAsked = denials.some(({ kind, call }) => kind === "asked" && requestOf(call) === lastBatch);
  return { denials, lastAsked };
}

/** A call that was judged has arguments that could be read. */
function argumentsOf(call: ToolCall | undefined): JsonObject {
  const value: unknown = JSON.parse(call?.arguments ?? "{}");
  return isJsonObject(value) ? value : {};
}

/** Calls of one answer carry the seq of its request. */
function requestOf(call: CallId): string {
  return call.slice(0, call.indexOf("."));
}
