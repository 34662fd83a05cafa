/** Read entry: a durable entry from its JSON. Its head is checked, which is what the stream is ordered by; its fields are those that the Pod's log was checked for. */
import type { EntryKind, JsonObject, JsonValue, LogEntry } from "@yoi/base";
import type { Fields } from "./fields.ts";
import { Fault } from "./parse-line.ts";

/** An entry of any other kind is of a later version, and comes as an opaque one. */
const entryKinds: Readonly<Record<EntryKind, true>> = {
  segment_start: true,
  segment_ready: true,
  opened: true,
  invoke: true,
  user_input: true,
  assistant_item: true,
  assistant_partial: true,
  tool_started: true,
  tool_result: true,
  system_item: true,
  tools_changed: true,
  llm_request: true,
  llm_usage: true,
  turn_end: true,
  run_paused: true,
  run_completed: true,
  run_errored: true,
  config_changed: true,
  projection: true,
  carried: true,
  quarantined: true,
  compaction_begun: true,
  compacted: true,
  inbox_accepted: true,
  child_cursor: true,
  extension: true,
  turn_rolled_back: true,
  approval_asked: true,
  approval_answered: true,
  input_queued: true,
  input_unqueued: true,
  user_command: true,
};

export function readEntry(fields: Fields): LogEntry {
  const head = {
    seq: fields.count("seq"),
    batch: fields.count("batch"),
    ts: fields.count("ts"),
    kind: fields.string("kind"),
  };
  const object: JsonObject = fields.whole;
  if (Object.hasOwn(entryKinds, head.kind)) {
    // It is how an entry that is not of a known kind is told apart.
    if (fields.has("opaque")) throw new Fault(`${fields.at("opaque")} is no field of ${head.kind}.`);
    return object as unknown as LogEntry;
  }
  const { seq: _seq, batch: _batch, ts: _ts, kind: _kind, ...rest } = object;
  return { ...head, opaque: true, fields: rest as { readonly [key: string]: JsonValue } };
}
