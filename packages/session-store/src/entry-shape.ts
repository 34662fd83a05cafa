/** What each kind of entry must look like: a known kind with a wrong field is damage, and is never taken for good. */
import { imageTypes, isUuidV7, type EntryKind } from "@yoi/base";
import {
  anyJson,
  count,
  either,
  flag,
  json,
  listOf,
  mapOf,
  matching,
  nullOr,
  number,
  object,
  oneOf,
  type Shape,
  integer,
  text,
  textThat,
  variant,
} from "./shape.ts";

const uuid = textThat(isUuidV7);
const sha256 = matching(/^[0-9a-f]{64}$/);
const sum = matching(/^[0-9a-f]{16}$/);
const entryId = /(?:[1-9][0-9]*-)?(?:0|[1-9][0-9]*)/.source;
const call = matching(new RegExp(`^${entryId}\\.(?:0|[1-9][0-9]*)$`));
const wholeId = matching(new RegExp(`^${entryId}$`));
const origin = object({ "session_id?": uuid, segment_id: uuid, seq: count, sum });
const status = oneOf("completed", "incomplete");
const providerData = object({ provider: text, "model?": text, metadata: json });
const projection = object({
  prune_before: nullOr(count),
  "reasoning_before?": count,
  "images_before?": count,
  "quarantined?": listOf(object({ target: count, part: oneOf("images", "reasoning") })),
});

export const blobReference = object({ blob: object({ sha256, bytes: count }) });
/** A field whose value may lie in a blob instead. */
const movable = (shape: Shape): Shape => either(shape, either(blobReference, shape));

const config = object({
  model: text,
  "max_output_tokens?": count,
  "temperature?": number,
  "reasoning?": text,
  "images?": flag,
  "mid_system?": flag,
});
const parts = listOf(
  variant(
    "type",
    new Map([
      ["text", object({ text })],
      ["file_ref", object({ path: text })],
      ["skill_ref", object({ name: text })],
    ]),
  ),
);
const images = listOf(
  object({
    type: oneOf("image"),
    media_type: oneOf(...imageTypes),
    data: matching(/^[A-Za-z0-9+/]*={0,2}$/),
  }),
);

const spoken = object({ text, status, "provider_data?": providerData });
const assistantItem = variant(
  "type",
  new Map<string, Shape>([
    ["assistant_message", spoken],
    ["reasoning", spoken],
    [
      "tool_call",
      object({
        call,
        name: text,
        arguments: text,
        "provider_call_id?": text,
        "provider_data?": providerData,
      }),
    ],
  ]),
);
const toolResult = object({
  type: oneOf("tool_result"),
  call,
  name: text,
  summary: text,
  "content?": text,
  "images?": images,
  is_error: flag,
  "record?": json,
  "refusal?": oneOf("asked", "denied"),
});
const systemItem = object({
  type: oneOf("system_item"),
  kind: oneOf(
    "notification",
    "pod_event",
    "file_attachment",
    "task_reminder",
    "interrupt",
    "summary",
    "user_inputs",
    "feature_state",
    "read_files",
    "lineage",
    "user_command",
    "skill",
  ),
  source: text,
  "reason?": text,
  body: text,
  "images?": images,
  "record?": json,
});
const toolDefinition = object({ name: text, description: text, input_schema: json });
const usage = object({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
});
const spent = object({
  requests: count,
  usage,
  cost_nano_usd: count,
  unpriced_requests: count,
  turns: count,
  run_ms: count,
  "estimated_tokens?": count,
  "estimated_cost_nano_usd?": count,
});
const userMessage = object({ type: oneOf("user_message"), parts });
const item: Shape = variant(
  "type",
  new Map<string, Shape>([
    ["user_message", userMessage],
    ["assistant_message", assistantItem],
    ["reasoning", assistantItem],
    ["tool_call", assistantItem],
    ["tool_result", toolResult],
    ["system_item", systemItem],
  ]),
);
const queueTime = oneOf("boundary", "run_end");
const paused = {
  reason: oneOf("interrupted", "hook", "yield", "provider_limit", "network", "user"),
  "detail?": text,
  "until?": number,
};
const toolStarted = { call };
const allowedBy = listOf(object({ for: oneOf("session", "always"), id: text, rule: text }));
const keptAnswer = object({
  for: oneOf("session", "always"),
  rule: text,
  "expires?": number,
  "everywhere?": flag,
  "grant?": text,
});
const inboxWaiting = { item: systemItem, "submission?": text, "quiet?": flag };
const inboxAccepted = { ...inboxWaiting, "position?": anyJson };
const userCommand = { command: text, submission: text };
const childCursor = { child: text, segment: text, through: count };
const extension = { domain: text, payload: anyJson };
const trigger = oneOf("threshold", "context_overflow", "hook", "user");
const wire = object({ sha256, bytes: count, method: text, path: text, headers: mapOf(text) });

const shapes: { readonly [kind in EntryKind]: Shape } = {
  segment_start: object({
    schema: count,
    session_id: uuid,
    segment_id: uuid,
    config,
    prompt: movable(text),
    documents: listOf(object({ path: text, sha256, bytes: count, truncated: flag })),
    turn_count: count,
    states: json,
    "compacted_from?": origin,
    "forked_from?": origin,
    "generation?": count,
    "left?": origin,
    "purpose?": oneOf("compaction"),
    "spent?": spent,
    "calibration?": mapOf(object({ bytes: count, tokens: count })),
    "measured?": object({ items: count, tokens: count, "model?": text, "head_bytes?": count }),
    "projection?": projection,
    "paused?": object(paused),
    "pauses_in_row?": count,
    "compactions_in_row?": object({ times: count, turn_count: count }),
    "submissions?": listOf(object({ name: text, id: matching(new RegExp(`^${entryId}$`)), digest: sha256 })),
    "queue_held?": flag,
    carried: count,
  }),
  segment_ready: object({}),
  opened: object({ epoch: count, version: text }),
  invoke: object({ trigger: oneOf("user_send", "resume", "notify", "pod_event"), "by?": oneOf("pod") }),
  user_input: object({
    parts: movable(parts),
    "attachments?": count,
    "submission?": text,
    "delivers?": count,
  }),
  input_queued: object({ parts: movable(parts), when: queueTime, submission: text }),
  input_unqueued: object({ queued: count }),
  user_command: object(userCommand),
  assistant_item: object({ request: count, index: count, item: movable(assistantItem) }),
  assistant_partial: object({
    request: count,
    index: count,
    block: oneOf("text", "reasoning", "tool_call"),
    "name?": text,
    from: count,
    text,
  }),
  tool_started: object({
    ...toolStarted,
    "allowed_by?": allowedBy,
  }),
  tool_result: object({ item: movable(toolResult) }),
  system_item: object({ item: movable(systemItem), "delivers?": count }),
  tools_changed: object({ tools: movable(listOf(toolDefinition)), digest: sha256 }),
  llm_request: object({
    through: integer,
    items: count,
    projection,
    tools: text,
    config,
    adapter: object({ name: text, version: text }),
    lowering: count,
    digest: text,
    wire,
    "estimate?": object({ tokens: count, "cost_nano_usd?": count }),
  }),
  llm_usage: object({
    request: count,
    "attempt?": count,
    usage,
    "cost_nano_usd?": count,
    finish: oneOf("stop", "tool_calls", "length", "content_filter", "interrupted", "other"),
  }),
  turn_end: object({ turn_count: count }),
  run_paused: object(paused),
  run_completed: object({
    result: oneOf("finished", "limit_reached", "cancelled", "aborted"),
    "detail?": text,
  }),
  run_errored: object({ code: text, message: text }),
  config_changed: object({ config }),
  projection: object({
    projection,
    reason: oneOf("pruned", "reasoning_refused", "images_refused"),
    message: text,
    "saved_tokens?": count,
  }),
  quarantined: object({ target: count, part: oneOf("images", "reasoning"), message: text }),
  compaction_begun: object({ trigger, compactor: nullOr(uuid), tokens: count }),
  compacted: object({
    trigger,
    outcome: oneOf("committed", "no_progress", "failed", "interrupted"),
    "message?": text,
    compactor: nullOr(uuid),
    spent,
    tokens_before: count,
    tokens_after: nullOr(count),
    items_before: count,
    items_after: nullOr(count),
    items_kept: nullOr(count),
    "in_row?": count,
  }),
  carried: variant(
    "of",
    new Map<string, Shape>([
      ["item", object({ id: wholeId, item: movable(item), "folded?": flag })],
      ["tool_started", object(toolStarted)],
      ["inbox_accepted", object({ ...inboxWaiting, "id?": wholeId })],
      [
        "input_queued",
        object({ id: wholeId, item: movable(userMessage), when: queueTime, submission: text }),
      ],
      ["approval_answered", object({ id: wholeId, digest: sha256, keep: keptAnswer })],
      ["user_command", object({ id: wholeId, ...userCommand })],
      ["child_cursor", object(childCursor)],
      ["extension", object(extension)],
    ]),
  ),
  inbox_accepted: object(inboxAccepted),
  child_cursor: object(childCursor),
  extension: object(extension),
  turn_rolled_back: object({ from_seq: count }),
  approval_asked: object({
    call,
    digest: sha256,
    reason: text,
    expires: number,
    "offers?": listOf(text),
    "wish?": object({ permission: oneOf("read", "write"), target: text }),
  }),
  approval_answered: object({
    call,
    digest: sha256,
    answer: oneOf("allow", "deny"),
    "reason?": text,
    "keep?": keptAnswer,
    "allowed_by?": allowedBy,
  }),
};

const byKind = new Map<string, Shape>(Object.entries(shapes));

/** The shape of a kind that this version writes; null for kinds of later versions. */
export function shapeOf(kind: string): Shape | null {
  return byKind.get(kind) ?? null;
}
