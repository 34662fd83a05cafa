/** Bounds of what a call brings into history: every result, errors included. */
import { cutUtf8, type ToolOutput, type ToolResult, type UnansweredCall, utf8Length } from "@yoi/base";
import type { WorkerLimits } from "./limits.ts";

type ResultLimits = Pick<WorkerLimits, "summaryBytesMax" | "contentBytesMax">;
type CallName = Pick<UnansweredCall, "call" | "name">;

export function boundResult(call: CallName, output: ToolOutput, limits: ResultLimits): ToolResult {
  return {
    type: "tool_result",
    call: call.call,
    name: call.name,
    summary: boundText(output.summary, limits.summaryBytesMax),
    ...(output.content === undefined ? {} : { content: boundText(output.content, limits.contentBytesMax) }),
    ...(output.images === undefined ? {} : { images: output.images }),
    is_error: output.is_error === true,
    ...(output.record === undefined ? {} : { record: output.record }),
  };
}

export function errorResult(call: CallName, message: string, limits: ResultLimits): ToolResult {
  return boundResult(call, { summary: message, is_error: true }, limits);
}

/** At most `bytesMax` bytes of UTF-8, cut at a character; a marker at the end says how many bytes were dropped. */
export function boundText(text: string, bytesMax: number): string {
  const bytes = utf8Length(text);
  if (bytes <= bytesMax) return text;
  // The marker's own length depends on the number in it; the number of all bytes has at least as many digits.
  const room = bytesMax - utf8Length(marker(bytes));
  const kept = cutUtf8(text, Math.max(room, 0));
  return cutUtf8(kept + marker(bytes - utf8Length(kept)), bytesMax);
}

function marker(dropped: number): string {
  return `\n[${dropped} bytes dropped: ask for less at a time]`;
}
