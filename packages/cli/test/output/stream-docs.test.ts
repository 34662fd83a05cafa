/** docs/stream-json.md and the types say the same: every type, every field, nothing else. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { RecordEvent, StreamEvent } from "../../src/output/stream/stream-event.ts";
import { errorObject } from "../../src/output/error-object.ts";

type FieldsOf<T extends StreamEvent["type"]> = Exclude<keyof Extract<StreamEvent, { type: T }>, "type">;
/** The compiler holds this table to the types: no field may be missing or be one too many. */
const fields: { readonly [T in StreamEvent["type"]]: { readonly [F in FieldsOf<T>]: true } } = {
  run_start: { seq: true, ts: true, trigger: true },
  input: { seq: true, ts: true, parts: true, delivers: true },
  input_queued: { seq: true, ts: true, parts: true, when: true, submission: true },
  input_unqueued: { seq: true, ts: true, queued: true },
  user_command: { seq: true, ts: true, command: true, submission: true },
  request: { seq: true, ts: true, model: true, items: true, body_bytes: true, digest: true },
  message: { seq: true, ts: true, request: true, index: true, text: true, status: true },
  reasoning: { seq: true, ts: true, request: true, index: true, text: true, status: true },
  tool_call: { seq: true, ts: true, request: true, index: true, call: true, name: true, arguments: true },
  tool_started: { seq: true, ts: true, call: true },
  approval_asked: { seq: true, ts: true, call: true, digest: true, reason: true, expires_ms: true },
  approval_answered: { seq: true, ts: true, call: true, digest: true, answer: true, reason: true },
  denied: { seq: true, ts: true, call: true, name: true, kind: true, reason: true },
  tool_result: {
    seq: true,
    ts: true,
    call: true,
    name: true,
    is_error: true,
    summary: true,
    content: true,
    images: true,
  },
  system_item: { seq: true, ts: true, kind: true, source: true, reason: true, body: true, images: true },
  usage: { seq: true, ts: true, request: true, attempt: true, finish: true, usage: true, cost_usd: true },
  turn_end: { seq: true, ts: true, turn_count: true },
  segment: { seq: true, ts: true, segment_id: true, generation: true, why: true, from: true, left: true },
  compaction_begun: { seq: true, ts: true, trigger: true, tokens: true },
  compaction_ended: {
    seq: true,
    ts: true,
    trigger: true,
    outcome: true,
    message: true,
    tokens_before: true,
    tokens_after: true,
    items_before: true,
    items_after: true,
  },
  left_out: { seq: true, ts: true, reason: true, message: true, saved_tokens: true },
  quarantined: { seq: true, ts: true, target: true, part: true, message: true },
  run_end: { seq: true, ts: true, end: true, reason: true, detail: true, resume_after_ms: true },
  start: {
    version: true,
    pod: true,
    session_id: true,
    segment_id: true,
    seq: true,
    resumed: true,
    model: true,
    workspace: true,
    sandbox: true,
    network: true,
    permission_mode: true,
    tools: true,
    max_turns: true,
    timeout_ms: true,
  },
  turn: { turn: true },
  block_start: { provisional: true, request: true, index: true, block: true, name: true },
  delta: { provisional: true, request: true, index: true, block: true, text: true },
  tool_progress: { provisional: true, call: true, text: true },
  retry: {
    request: true,
    attempt: true,
    attempts_max: true,
    wait_ms: true,
    error_code: true,
    message: true,
    status: true,
  },
  continuation: { request: true, attempt: true, attempts_max: true, reason: true },
  warning: { level: true, source: true, text: true },
  gap: { provisional: true, other: true, first_seq: true, last_seq: true },
};

/** Every record has these, and the page says so once for all of them. */
const ofEveryRecord: readonly (keyof RecordEvent)[] = ["seq", "ts"];

test("the page has a section for each type, with a row for each field, in the order of the line", () => {
  const page = readFileSync(new URL("../../../../docs/stream-json.md", import.meta.url), "utf8");
  const [, ...groups] = page.split(/^## /m);
  const documented = groups.flatMap((group) =>
    group
      .split(/^### /m)
      .slice(1)
      .map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? "?", rowsOf(section)] as const),
  );
  const expected = Object.entries(fields).map(([type, table]) => {
    const names = Object.keys(table);
    const isRecord = ofEveryRecord.every((name) => names.includes(name));
    return [
      type,
      isRecord ? names.filter((name) => !(ofEveryRecord as readonly string[]).includes(name)) : names,
    ] as const;
  });
  const result = Object.keys(errorObject({ code: "usage", message: "m" })).filter(
    (name) => name !== "type" && name !== "schema_version",
  );
  assert.deepEqual(documented, [...expected, ["result", [...result, "resume_after_ms"]]]);
});

function rowsOf(section: string): readonly string[] {
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = ""]) => name);
}
