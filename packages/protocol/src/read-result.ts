/** Read result: what a method's answer holds, checked once it is known which method was asked for. */
import type { JsonObject } from "@yoi/base";
import { Fields } from "./fields.ts";
import { idCharsMax } from "./limits.ts";
import type { MethodName, Methods } from "./method.ts";
import { Fault } from "./parse-line.ts";
import { BadPodLine } from "./read-pod-line.ts";
import { readView } from "./read-view.ts";
import { readListRewindTargetsResult, readPart, readRewindResult } from "./rewind.ts";

type ResultReaders = { readonly [M in MethodName]: (fields: Fields) => Methods[M]["result"] };

const resultReaders: ResultReaders = {
  hello: (fields) => ({
    protocol: fields.count("protocol", 1),
    pod: fields.string("pod"),
    session: fields.string("session"),
    segment: fields.string("segment"),
    epoch: fields.count("epoch"),
    from: fields.count("from"),
  }),
  ping: (fields) => (fields.has("text") ? { text: fields.string("text") } : {}),
  show: readView,
  submit: readAccepted,
  notify: readAccepted,
  resume: (fields) => ({ id: readId(fields) }),
  cancel: () => ({}),
  pause: () => ({}),
  answer_approval: readSeq,
  pod_event: () => ({}),
  restore_pod: (fields) => ({
    action: fields.oneOf("action", ["already_live", "restored"]),
    socket: fields.string("socket"),
    warnings: fields.strings("warnings"),
  }),
  register_peer: () => ({}),
  compact: (fields) => ({
    segment: fields.string("segment"),
    from: fields.string("from"),
    tokens_before: fields.count("tokens_before"),
    tokens_after: fields.count("tokens_after"),
    items_before: fields.count("items_before"),
    items_after: fields.count("items_after"),
    items_kept: fields.count("items_kept"),
    by_model: fields.flag("by_model"),
  }),
  undo_compaction: (fields) => ({
    segment: fields.string("segment"),
    kept: fields.strings("kept"),
    entries: readCounts(fields.object("entries")),
    files: fields.strings("files"),
  }),
  list_rewind_targets: readListRewindTargetsResult,
  rewind: readRewindResult,
  queue: readAccepted,
  unqueue: (fields) => ({ parts: fields.list("parts", readPart) }),
  run_command: readAccepted,
  stop_command: () => ({}),
  complete_path: (fields) => ({
    entries: fields.list("entries", (entry) => ({
      path: entry.string("path"),
      kind: entry.oneOf("kind", ["file", "directory"]),
    })),
    more: fields.flag("more"),
  }),
  set_title: () => ({}),
  shutdown: () => ({}),
};

function readCounts(fields: Fields): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(fields.whole).map((name) => [name, fields.count(name)]));
}

function readAccepted(fields: Fields): Methods["submit"]["result"] {
  return { id: readId(fields), duplicate: fields.flag("duplicate") };
}

function readId(fields: Fields): string {
  return fields.text("id", idCharsMax, 1);
}

function readSeq(fields: Fields): { readonly seq: number } {
  return { seq: fields.count("seq") };
}

/** Throws BadPodLine. */
export function readResult<M extends MethodName>(method: M, result: JsonObject): Methods[M]["result"] {
  try {
    return resultReaders[method](new Fields(result, "result"));
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new BadPodLine(`The Pod's answer to ${method} cannot be read: ${cause.message}`);
  }
}
