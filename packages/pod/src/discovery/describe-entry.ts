/** One log entry as one line for a person. Control characters of what was logged cannot disturb the line. */
import {
  dollars,
  entryId,
  escapeControls,
  flattenInput,
  isKnown,
  type Item,
  type KeptAnswer,
  type LogEntry,
  type SystemItem,
  type ToolResult,
  type ToolStarted,
} from "@yoi/base";
import { leaveOutAll } from "@yoi/worker";
import { isoTime } from "./iso-time.ts";

const previewCharacters = 160;

/** @param generation of the segment that it stands in: a part of its id. */
export function describeEntry(entry: LogEntry, generation = 0): string {
  return `${entryId(generation, entry.seq).padStart(6)}  ${isoTime(entry.ts)}  ${entry.kind.padEnd(18)} ${escapeControls(detailOf(entry))}`.trimEnd();
}

function detailOf(entry: LogEntry): string {
  if (!isKnown(entry)) return "(a kind of a later version)";
  switch (entry.kind) {
    case "segment_start":
      return `session ${entry.session_id} segment ${entry.segment_id} model ${entry.config.model}`;
    case "segment_ready":
      return "";
    case "opened":
      return `epoch ${entry.epoch}, yoi ${entry.version}`;
    case "invoke":
      return entry.by === undefined ? entry.trigger : `${entry.trigger} (by itself)`;
    case "user_input":
      return preview(flattenInput(entry.parts));
    case "assistant_item":
    case "tool_result":
    case "inbox_accepted":
      return describeItem(entry.item);
    case "system_item":
      return `${entry.delivers === undefined ? "" : `(${entry.delivers}) `}${describeItem(entry.item)}`;
    case "child_cursor":
      return `${entry.child} up to ${entry.through} of ${entry.segment}`;
    case "extension":
      return `${entry.domain}: ${preview(JSON.stringify(entry.payload))}`;
    case "assistant_partial":
      return `${entry.block} of ${entry.request}.${entry.index}: ${preview(entry.text)}`;
    case "tool_started":
      return `${entry.call}${allowedBy(entry.allowed_by)}`;
    case "tools_changed":
      return entry.tools.map((tool) => tool.name).join(", ");
    case "llm_request":
      return `${entry.config.model} ${entry.items} items, ${entry.wire.bytes} bytes, digest ${entry.digest.slice(0, 16)}`;
    case "llm_usage":
      return `${entry.attempt === undefined ? "" : `attempt ${entry.attempt}: `}${entry.usage.input_tokens} in, ${entry.usage.output_tokens} out${entry.cost_nano_usd === undefined ? "" : `, ${dollars(entry.cost_nano_usd)}`}, ${entry.finish}`;
    case "turn_end":
      return `turn ${entry.turn_count}`;
    case "run_paused":
      return `${entry.reason}${entry.until === undefined ? "" : ` until ${isoTime(entry.until)}`}${entry.detail === undefined ? "" : `: ${entry.detail}`}`;
    case "run_completed":
      return `${entry.result}${entry.detail === undefined ? "" : `: ${entry.detail}`}`;
    case "turn_rolled_back":
      return `the input of ${entry.from_seq} is taken back`;
    case "approval_asked":
      return `${entry.call} until ${isoTime(entry.expires)}: ${entry.reason}`;
    case "approval_answered":
      return `${entry.call}${allowedBy(entry.allowed_by) || ` ${entry.answer}`}${entry.keep === undefined ? "" : ` ${keptText(entry.keep)}`}${entry.reason === undefined ? "" : `: ${entry.reason}`}`;
    case "input_queued":
      return `${entry.when}: ${preview(flattenInput(entry.parts))}`;
    case "input_unqueued":
      return `${entry.queued}`;
    case "user_command":
      return preview(entry.command);
    case "run_errored":
      return `${entry.code}: ${entry.message}`;
    case "config_changed":
      return `model ${entry.config.model}`;
    case "carried":
      switch (entry.of) {
        case "item":
          return `${entry.id}: ${describeItem(entry.item)}`;
        case "tool_started":
          return `${entry.of} ${entry.call}`;
        case "inbox_accepted":
          return `${entry.of} ${describeItem(entry.item)}`;
        case "approval_answered":
          return `${entry.of} ${keptText(entry.keep)}`;
        case "input_queued":
          return `${entry.of} ${entry.when}: ${preview(flattenInput(entry.item.parts))}`;
        case "user_command":
          return `${entry.of} ${preview(entry.command)}`;
        case "child_cursor":
          return `${entry.of} ${entry.child} through ${entry.through}`;
        case "extension":
          return `${entry.of} ${entry.domain}`;
      }
    // Every way out of the inner switch returns.
    case "quarantined":
      return `without the ${entry.part} of ${entry.target}: ${preview(entry.message)}`;
    case "compaction_begun":
      return `${entry.trigger}, about ${entry.tokens} tokens${entry.compactor === null ? "" : `, compactor ${entry.compactor}`}`;
    case "compacted": {
      const { outcome, tokens_before: before, tokens_after: after, message } = entry;
      const why = message === undefined ? "" : `: ${preview(message)}`;
      return `${outcome}, about ${before} to ${after ?? "?"} tokens${why}`;
    }
    case "projection": {
      const { prune_before, reasoning_before, images_before } = entry.projection;
      if (entry.reason === "pruned") return `results before ${prune_before}: ${preview(entry.message)}`;
      const parts = [...withoutPart("reasoning", reasoning_before), ...withoutPart("images", images_before)];
      return `${parts.join(", ")}: ${preview(entry.message)}`;
    }
  }
}

function withoutPart(what: string, before: number | undefined): string[] {
  if (before === undefined) return [];
  return [before === leaveOutAll ? `without ${what}` : `without ${what} before ${before}`];
}

function describeItem(item: Item): string {
  switch (item.type) {
    case "user_message":
      return preview(flattenInput(item.parts));
    case "assistant_message":
    case "reasoning":
      return `${item.type === "reasoning" ? "reasoning: " : ""}${preview(item.text)}${item.status === "incomplete" ? " (cut)" : ""}`;
    case "tool_call":
      return `${item.call} ${item.name} ${preview(item.arguments)}`;
    case "tool_result":
      return `${item.call} ${item.is_error ? "error: " : ""}${preview(item.summary)}${imageCount(item)}`;
    case "system_item":
      return `${item.kind} from ${item.source}: ${preview(item.body)}${imageCount(item)}`;
  }
}

function imageCount({ images = [] }: ToolResult | SystemItem): string {
  return images.length === 0 ? "" : ` (${images.length} image${images.length === 1 ? "" : "s"})`;
}

function preview(text: string): string {
  return text.length <= previewCharacters ? text : `${text.slice(0, previewCharacters)}…`;
}

function keptText({ for: how, rule, expires, everywhere }: KeptAnswer): string {
  const until = expires === undefined ? "" : ` until ${isoTime(expires)}`;
  return `(${how}${everywhere === true ? ", everywhere" : ""}${until}: ${rule})`;
}

function allowedBy(allowed: ToolStarted["allowed_by"]): string {
  if (allowed === undefined) return "";
  return ` allowed by ${allowed.map(({ for: how, id, rule }) => `${how} ${id}: ${rule}`).join("; ")}`;
}
