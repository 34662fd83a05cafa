/** Read result: what a method's answer holds, checked once it is known which method was asked for. */
import type { JsonObject } from "@yoi/base";
import { Fields } from "./fields.ts";
import type { MethodName, Methods } from "./method.ts";
import { Fault } from "./parse-line.ts";
import { BadPodLine } from "./read-pod-line.ts";
import { readView } from "./read-view.ts";

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
  resume: readSeq,
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
  shutdown: () => ({}),
};

function readAccepted(fields: Fields): Methods["submit"]["result"] {
  return { seq: fields.count("seq"), duplicate: fields.flag("duplicate") };
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
