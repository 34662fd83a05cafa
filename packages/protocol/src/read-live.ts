/** Read live: a live event from its JSON, each field that its type has checked. */
import type { CallId, CompactionTrigger } from "@yoi/base";
import type { BlockEventKind, CompactionWork, Live } from "./event.ts";
import type { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";
import { readChild, readContext, readPanel, readSpent } from "./read-present.ts";
import { readRunEnded } from "./read-run-end.ts";
import { podStates } from "./state-table.ts";

export const blockEventKinds: readonly BlockEventKind[] = ["text", "reasoning", "tool_call"];

const compactionTriggers: readonly CompactionTrigger[] = ["threshold", "context_overflow", "hook", "user"];

type LiveReaders = {
  readonly [T in Live["type"]]: (fields: Fields) => Omit<Extract<Live, { readonly type: T }>, "type">;
};

/** Null: a type of a later release. */
export function readLive(fields: Fields): Live | null {
  const type = fields.string("type");
  if (!isLiveType(type)) return null;
  // Its fields were read by the reader of this very type.
  return { type, ...liveReaders[type](fields) } as Live;
}

function isLiveType(type: string): type is Live["type"] {
  return Object.hasOwn(liveReaders, type);
}

const liveReaders: LiveReaders = {
  state: (fields) => ({ state: fields.oneOf("state", podStates) }),
  turn: (fields) => ({ turn: fields.count("turn") }),
  block_start: (fields) => ({
    request: fields.count("request"),
    index: fields.count("index"),
    block: fields.oneOf("block", blockEventKinds),
    name: fields.nullOr("name", (name) => fields.string(name)),
  }),
  delta: (fields) => ({
    request: fields.count("request"),
    index: fields.count("index"),
    block: fields.oneOf("block", blockEventKinds),
    text: fields.string("text"),
  }),
  tool_start: (fields) => ({
    call: readCallId(fields),
    name: fields.string("name"),
    title: fields.string("title"),
  }),
  tool_progress: (fields) => ({ call: readCallId(fields), text: fields.string("text") }),
  retry: (fields) => ({
    request: countOrNull(fields, "request"),
    attempt: fields.count("attempt"),
    attempts_max: fields.count("attempts_max"),
    wait_ms: fields.number("wait_ms"),
    error_code: fields.string("error_code"),
    message: fields.string("message"),
    status: countOrNull(fields, "status"),
  }),
  continuation: (fields) => ({
    request: countOrNull(fields, "request"),
    attempt: fields.count("attempt"),
    attempts_max: fields.count("attempts_max"),
    reason: fields.string("reason"),
  }),
  alert: readAlert,
  run_ended: (fields) => ({ run: readRunEnded(fields.object("run")) }),
  run_failed: (fields) => ({
    run: fields.nullOr("run", (name) => fields.text(name, idCharsMax, 1)),
    code: fields.string("code"),
    message: fields.string("message"),
  }),
  compaction_begun: readCompactionWork,
  compaction_ended: (fields) => ({
    trigger: fields.oneOf("trigger", compactionTriggers),
    outcome: fields.oneOf("outcome", ["committed", "no_progress", "failed", "interrupted"]),
    message: fields.nullOr("message", (name) => fields.string(name)),
    tokens_before: fields.count("tokens_before"),
    tokens_after: countOrNull(fields, "tokens_after"),
    items_before: fields.count("items_before"),
    items_after: countOrNull(fields, "items_after"),
  }),
  title: (fields) => ({ title: fields.nullOr("title", (name) => fields.string(name)) }),
  command_output: (fields) => ({ id: fields.string("id"), text: fields.string("text") }),
  panel: (fields) => ({ panel: readPanel(fields.object("panel")) }),
  spent: (fields) => ({
    context: readContext(fields.object("context")),
    spent: readSpent(fields.object("spent")),
  }),
  children: (fields) => ({ children: fields.list("children", readChild) }),
  shutdown: () => ({}),
};

export function readCompactionWork(fields: Fields): CompactionWork {
  return { trigger: fields.oneOf("trigger", compactionTriggers), tokens: fields.count("tokens") };
}

export function readAlert(fields: Fields): Omit<Extract<Live, { readonly type: "alert" }>, "type"> {
  return {
    level: fields.oneOf("level", ["warn", "error"]),
    source: fields.string("source"),
    message: fields.string("message"),
    at: fields.count("at"),
  };
}

function countOrNull(fields: Fields, name: string): number | null {
  return fields.nullOr(name, () => fields.count(name));
}

function readCallId(fields: Fields): CallId {
  // Made by the Pod, and only ever compared.
  return fields.string("call") as CallId;
}
