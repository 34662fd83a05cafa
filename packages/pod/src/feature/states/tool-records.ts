/** Tool records: what a feature is told of history, the committed results of its own tools and nothing else. */
import {
  type CallId,
  type CommittedItem,
  deepFreeze,
  isDepthWithin,
  isJsonObject,
  type JsonObject,
  jsonDepthMax,
  type ToolResult,
} from "@yoi/base";
import type { ToolRecord } from "@yoi/feature";

/** In log order: one record for each result of one of `tools`, but for those that the snapshots hold already. A call without a result is none. */
export function toolRecords(
  items: readonly CommittedItem[],
  tools: ReadonlySet<string>,
): readonly ToolRecord[] {
  const asked = new Map<CallId, string>();
  const records: ToolRecord[] = [];
  for (const { item, folded } of items) {
    if (item.type === "tool_call" && tools.has(item.name)) asked.set(item.call, item.arguments);
    if (item.type === "tool_result" && tools.has(item.name) && folded !== true) {
      records.push(recordOf(item, argumentsOf(asked.get(item.call))));
    }
  }
  return Object.freeze(records);
}

function recordOf(result: ToolResult, args: JsonObject | null): ToolRecord {
  const { call, name, is_error: isError, summary, content, record } = result;
  return deepFreeze({
    call,
    tool: name,
    arguments: args,
    isError,
    summary,
    ...(content === undefined ? {} : { content }),
    ...(record === undefined ? {} : { record }),
  });
}

function argumentsOf(text: string | undefined): JsonObject | null {
  if (text === undefined) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isDepthWithin(value, jsonDepthMax) ? value : null;
  } catch {
    return null;
  }
}
