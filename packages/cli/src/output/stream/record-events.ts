/** What a durable log entry says to whoever reads the stream. Pure: the same entry, the same lines. */
import type {
  AssistantItemEntry,
  Entry,
  Image,
  RunCompleted,
  RunErrored,
  RunPaused,
  SegmentOrigin,
  SegmentStart,
  TurnRolledBack,
} from "@yoi/base";
import type { RecordEvent } from "./stream-event.ts";

/** No event: how the log is kept, not what the run did, or a piece that `delta` has shown and a later item replaces. */
export function eventsOfEntry(entry: Entry): readonly RecordEvent[] {
  const { seq, ts } = entry;
  const at = { seq, ts };
  switch (entry.kind) {
    case "invoke":
      return [{ type: "run_start", ...at, trigger: entry.trigger }];
    case "user_input":
      return [{ type: "input", ...at, parts: entry.parts, delivers: entry.delivers ?? null }];
    case "input_queued": {
      const { parts, when, submission } = entry;
      return [{ type: "input_queued", ...at, parts, when, submission }];
    }
    case "input_unqueued":
      return [{ type: "input_unqueued", ...at, queued: entry.queued }];
    case "user_command": {
      const { command, submission } = entry;
      return [{ type: "user_command", ...at, command, submission }];
    }
    case "llm_request": {
      const { config, items, wire, digest } = entry;
      return [{ type: "request", ...at, model: config.model, items, body_bytes: wire.bytes, digest }];
    }
    case "assistant_item":
      return [eventOfItem(entry, at)];
    case "tool_started":
      return [{ type: "tool_started", ...at, call: entry.call }];
    case "approval_asked": {
      const { call, digest, reason, expires } = entry;
      return [{ type: "approval_asked", ...at, call, digest, reason, expires_ms: expires }];
    }
    case "approval_answered": {
      const { call, digest, answer, reason = null } = entry;
      return [{ type: "approval_answered", ...at, call, digest, answer, reason }];
    }
    case "tool_result": {
      const { call, name, is_error, summary, content, images, refusal } = entry.item;
      const denied: RecordEvent[] =
        refusal === undefined ? [] : [{ type: "denied", ...at, call, name, kind: refusal, reason: summary }];
      return [
        ...denied,
        {
          type: "tool_result",
          ...at,
          call,
          name,
          is_error,
          summary,
          content: content ?? null,
          images: sizesOf(images),
        },
      ];
    }
    case "system_item": {
      const { kind, source, reason, body, images } = entry.item;
      return [
        {
          type: "system_item",
          ...at,
          kind,
          source,
          reason: reason ?? null,
          body,
          images: sizesOf(images),
        },
      ];
    }
    case "llm_usage": {
      const { request, attempt = null, finish, usage, cost_nano_usd: nano } = entry;
      const cost_usd = nano === undefined ? null : nano / 1e9;
      return [{ type: "usage", ...at, request, attempt, finish, usage, cost_usd }];
    }
    case "turn_end":
      return [{ type: "turn_end", ...at, turn_count: entry.turn_count }];
    case "run_completed":
    case "run_paused":
    case "run_errored":
    case "turn_rolled_back":
      return [{ type: "run_end", ...at, ...endOf(entry) }];
    case "segment_start":
      return rotationEvents(entry, at);
    case "compaction_begun":
      return [{ type: "compaction_begun", ...at, trigger: entry.trigger, tokens: entry.tokens }];
    case "compacted": {
      const { trigger, outcome, message = null } = entry;
      const { tokens_before, tokens_after, items_before, items_after } = entry;
      const sizes = { tokens_before, tokens_after, items_before, items_after };
      return [{ type: "compaction_ended", ...at, trigger, outcome, message, ...sizes }];
    }
    case "projection": {
      const { reason, message, saved_tokens: saved = null } = entry;
      return [{ type: "left_out", ...at, reason, message, saved_tokens: saved }];
    }
    case "quarantined": {
      const { target, part, message } = entry;
      return [{ type: "quarantined", ...at, target, part, message }];
    }
    case "segment_ready":
    case "opened":
    case "assistant_partial":
    case "tools_changed":
    case "config_changed":
    case "carried":
    case "inbox_accepted":
    case "child_cursor":
    case "extension":
      return [];
  }
}

/** None for the first segment of a Pod: nobody follows a run into that. */
function rotationEvents(start: SegmentStart, at: Pick<RecordEvent, "seq" | "ts">): readonly RecordEvent[] {
  const { segment_id, generation = 0, left, compacted_from: compacted, forked_from: forked } = start;
  const from = compacted ?? forked;
  if (left === undefined || from === undefined) return [];
  const why = compacted === undefined ? "forked" : "compacted";
  const place = ({ segment_id: segment, seq }: SegmentOrigin) => ({ segment_id: segment, seq });
  return [{ type: "segment", ...at, segment_id, generation, why, from: place(from), left: place(left) }];
}

function eventOfItem(
  { request, index, item }: AssistantItemEntry,
  at: Pick<RecordEvent, "seq" | "ts">,
): RecordEvent {
  switch (item.type) {
    case "assistant_message":
      return { type: "message", ...at, request, index, text: item.text, status: item.status };
    case "reasoning":
      return { type: "reasoning", ...at, request, index, text: item.text, status: item.status };
    case "tool_call": {
      const { call, name, arguments: args } = item;
      return { type: "tool_call", ...at, request, index, call, name, arguments: args };
    }
  }
}

type RunEnd = Omit<Extract<RecordEvent, { type: "run_end" }>, "type" | "seq" | "ts">;

function endOf(entry: RunCompleted | RunPaused | RunErrored | TurnRolledBack): RunEnd {
  switch (entry.kind) {
    case "turn_rolled_back":
      return { end: "rolled_back", reason: null, detail: null, resume_after_ms: null };
    case "run_completed":
      return { end: entry.result, reason: null, detail: entry.detail ?? null, resume_after_ms: null };
    case "run_paused":
      return {
        end: "paused",
        reason: entry.reason,
        detail: entry.detail ?? null,
        resume_after_ms: entry.until ?? null,
      };
    case "run_errored":
      return { end: "errored", reason: entry.code, detail: entry.message, resume_after_ms: null };
  }
}

function sizesOf(images: readonly Image[] = []) {
  return images.map(({ media_type, data }) => ({ media_type, base64_chars: data.length }));
}
