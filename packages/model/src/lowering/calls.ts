/** Tool calls on the wire: our own ids, names that every provider takes, arguments that are always an object, and every call answered. */
import {
  isDepthWithin,
  isJsonObject,
  jsonDepthMax,
  type CallId,
  type CommittedItem,
  type JsonObject,
} from "@yoi/base";
import { wellFormedObject } from "./well-formed.ts";

/** Providers repeat their own ids, so ours go out: pure per item, stable over restarts, of characters that every provider takes. */
export function wireCallId(call: CallId): string {
  return `call_${call.replace(".", "_")}`;
}

/** Characters: what the strictest provider takes. */
export const wireToolNameMax = 64;

/**
 * The name of a call in history. A model may call what no tool can be named (`functions.Read`, nothing at all): that was answered with an
 * error, but a provider would refuse the name in every later request.
 */
export function wireToolName(name: string): string {
  const taken = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, wireToolNameMax);
  if (taken === "") return "unnamed";
  // The SDK looks names up in a plain object, and would find what every object has.
  return taken in Object.prototype ? `${taken}_` : taken;
}

/**
 * The arguments of a call in history. The worker answered one whose arguments were no object, or nested too deep for what walks them, with
 * an error, and it stays as `{}`.
 */
export function argumentsObject(raw: string): JsonObject {
  try {
    const value: unknown = JSON.parse(raw);
    return isJsonObject(value) && isDepthWithin(value, jsonDepthMax) ? wellFormedObject(value) : {};
  } catch {
    return {};
  }
}

/**
 * Throws when a call has no result before the next answer or input, or a result has no call: every adapter would send either
 * without a word. A bug of whoever built the request, never an operational failure.
 */
export function assertCallsAnswered(items: readonly CommittedItem[]): void {
  const open = new Set<CallId>();
  let answering = false;
  const dangling = (seq: number): Error =>
    new Error(`request item ${seq}: the call ${[...open].join(", ")} before it has no result`);
  for (const { seq, item } of items) {
    switch (item.type) {
      case "tool_result":
        if (!open.delete(item.call))
          throw new Error(`request item ${seq}: a result for ${item.call}, which is no open call`);
        answering = true;
        break;
      case "tool_call":
        if (answering && open.size > 0) throw dangling(seq);
        if (open.has(item.call)) throw new Error(`request item ${seq}: the call ${item.call} is there twice`);
        answering = false;
        open.add(item.call);
        break;
      case "assistant_message":
      case "reasoning":
        if (answering && open.size > 0) throw dangling(seq);
        answering = false;
        break;
      case "user_message":
      case "system_item":
        if (open.size > 0) throw dangling(seq);
        break;
    }
  }
  if (open.size > 0) throw new Error(`the request ends with an unanswered call: ${[...open].join(", ")}`);
}
