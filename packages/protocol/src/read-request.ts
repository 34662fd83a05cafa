/** Read request: what a client says, checked field by field before anything acts on it. */
import { jsonDepthMax, type KeptAnswer, queueTimes, utf8Length } from "@yoi/base";
import { alternatives, Fields, quoted } from "./fields.ts";
import {
  approvalReasonCharsMax,
  clientNameCharsMax,
  commandBytesMax,
  idCharsMax,
  pathCharsMax,
  pingCharsMax,
  podNameCharsMax,
  requestValuesMax,
  titleCharsMax,
} from "./limits.ts";
import {
  childEvents,
  protocolVersions,
  type HelloParams,
  type MethodName,
  type Methods,
  type ProtocolError,
  type Request,
  type RunLimitsParams,
} from "./method.ts";
import { Fault, parseLine } from "./parse-line.ts";
import { readCursor } from "./read-cursor.ts";
import { readListRewindTargetsParams, readPart, readRewindParams } from "./rewind.ts";
import { roles } from "./role.ts";

/** A line that is not a request. `error` is what its sender is answered. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
  /** Null: the line could not be read so far. */
  readonly id: string | null;
  readonly error: ProtocolError;

  constructor(id: string | null, error: ProtocolError) {
    super(error.message);
    this.id = id;
    this.error = error;
  }
}

/** A request after the first line. */
export type Call = Exclude<Request, { readonly method: "hello" }>;

/** Reads the first line of a connection. The version is judged before anything else that a later version may have changed. Throws BadRequest. */
export function readHello(line: Uint8Array): { readonly id: string; readonly params: HelloParams } {
  return reading(line, (fields) => {
    const method = fields.string("method");
    if (method !== "hello") {
      throw new Fault(
        `The first line of a connection is to be a hello, and the method of this one is ${quoted(method)}.`,
      );
    }
    const params = fields.object("params");
    const protocol = params.count("protocol", 1);
    if (!protocolVersions.includes(protocol)) {
      throw new BadRequest(idOf(fields), {
        code: "protocol_unsupported",
        message: `Protocol ${protocol} is not spoken here: this Pod speaks ${protocolVersions.join(", ")}.`,
        versions: protocolVersions,
      });
    }
    return { id: readId(fields), params: readHelloParams(protocol, params) };
  });
}

/** Reads any line after the first. Throws BadRequest. */
export function readRequest(line: Uint8Array): Call {
  return reading(line, (fields) => {
    const id = readId(fields);
    const method = fields.string("method");
    if (method === "hello") throw new Fault("A connection has one hello, its first line, and it was said.");
    if (!isMethod(method)) {
      throw new Fault(
        `method is to be ${alternatives(Object.keys(paramReaders))}, and is ${quoted(method)}.`,
      );
    }
    const params = fields.has("params") ? fields.object("params") : new Fields({}, "params");
    // Its params were read by the reader of this very method.
    return { id, method, params: paramReaders[method](params) } as Call;
  });
}

function reading<T>(line: Uint8Array, read: (fields: Fields) => T): T {
  let fields: Fields | null = null;
  try {
    fields = new Fields(parseLine(line, jsonDepthMax, requestValuesMax), "");
    return read(fields);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new BadRequest(fields === null ? null : idOf(fields), {
      code: "invalid_request",
      message: cause.message,
    });
  }
}

function readId(fields: Fields): string {
  return fields.text("id", idCharsMax, 1);
}

function idOf(fields: Fields): string | null {
  try {
    return readId(fields);
  } catch (cause) {
    if (cause instanceof Fault) return null;
    throw cause;
  }
}

function readHelloParams(protocol: number, params: Fields): HelloParams {
  return {
    protocol,
    role: params.oneOf("role", roles),
    token: readToken(params),
    ...(params.has("client") ? { client: params.text("client", clientNameCharsMax) } : {}),
    stream: params.flag("stream"),
    ...(params.has("after") ? { after: readCursor(params.object("after")) } : {}),
  };
}

/** A sentence about it says nothing of what it holds. */
function readToken(params: Fields): string {
  const token = params.value("token");
  if (typeof token !== "string") throw new Fault(`${params.at("token")} is to be a text.`);
  return token;
}

type ParamReaders = {
  readonly [M in Exclude<MethodName, "hello">]: (params: Fields) => Methods[M]["params"];
};

const paramReaders: ParamReaders = {
  ping: (params) => (params.has("text") ? { text: params.text("text", pingCharsMax) } : {}),
  show: () => ({}),
  submit: (params) => ({
    parts: params.list("parts", readPart),
    submission: params.text("submission", idCharsMax, 1),
    ...limitsOf(params),
  }),
  notify: (params) => ({
    message: params.text("message"),
    ...(params.has("reason") ? { reason: params.text("reason") } : {}),
    submission: params.text("submission", idCharsMax, 1),
  }),
  resume: limitsOf,
  cancel: stopOf,
  pause: stopOf,
  answer_approval: (params) => ({
    digest: params.text("digest", idCharsMax, 1),
    answer: params.oneOf("answer", ["allow", "deny"]),
    ...(params.has("reason") ? { reason: params.text("reason", approvalReasonCharsMax) } : {}),
    ...(params.has("keep") ? { keep: readKept(params.object("keep")) } : {}),
  }),
  pod_event: (params) => ({ event: params.oneOf("event", childEvents) }),
  restore_pod: (params) => ({ name: params.text("name", podNameCharsMax, 1) }),
  register_peer: (params) => ({
    name: params.text("name", podNameCharsMax, 1),
    ...(params.has("remove") ? { remove: params.flag("remove") } : {}),
  }),
  compact: () => ({}),
  undo_compaction: () => ({}),
  list_rewind_targets: readListRewindTargetsParams,
  rewind: readRewindParams,
  queue: (params) => ({
    parts: params.list("parts", readPart),
    submission: params.text("submission", idCharsMax, 1),
    when: params.oneOf("when", queueTimes),
  }),
  unqueue: idOfParams,
  run_command: (params) => ({
    command: readCommand(params),
    submission: params.text("submission", idCharsMax, 1),
  }),
  stop_command: idOfParams,
  complete_path: (params) => ({
    prefix: params.text("prefix", pathCharsMax),
    ...(params.has("limit") ? { limit: params.count("limit", 1) } : {}),
  }),
  set_title: (params) => {
    if (!params.has("title")) throw new Fault(`${params.at("title")} is to be a text, or null for none.`);
    return { title: params.nullOr("title", (name) => params.text(name, titleCharsMax, 1)) };
  },
  shutdown: () => ({}),
};

function isMethod(method: string): method is keyof ParamReaders {
  return Object.hasOwn(paramReaders, method);
}

function limitsOf(params: Fields): { readonly limits?: RunLimitsParams } {
  if (!params.has("limits")) return {};
  const limits = params.object("limits");
  return { limits: limits.has("timeout_ms") ? { timeout_ms: limits.count("timeout_ms", 1) } : {} };
}

function readKept(keep: Fields): KeptAnswer {
  return {
    for: keep.oneOf("for", ["session", "always"]),
    rule: keep.text("rule", pathCharsMax, 1),
    ...(keep.has("expires") ? { expires: keep.count("expires", 1) } : {}),
    ...(keep.has("everywhere") && keep.flag("everywhere") ? { everywhere: true } : {}),
  };
}

function readCommand(params: Fields): string {
  const command = params.text("command", commandBytesMax, 1);
  const bytes = utf8Length(command);
  if (bytes <= commandBytesMax) return command;
  throw new Fault(
    `${params.at("command")} is to have at most ${commandBytesMax} bytes, and has ${bytes}: put it into a file of the workspace.`,
  );
}

function idOfParams(params: Fields): { readonly id: string } {
  const id = params.text("id", idCharsMax, 1);
  if (!entryIds.test(id)) throw new Fault(`${params.at("id")} is to be an id, as "57" or "2-57".`);
  return { id };
}

/** As `entryId` makes them. */
const entryIds = /^(?:[1-9][0-9]*-)?(?:0|[1-9][0-9]*)$/;

function stopOf(params: Fields): { readonly run?: string } {
  if (!params.has("run")) return {};
  const run = params.text("run", idCharsMax, 1);
  if (!entryIds.test(run))
    throw new Fault(`${params.at("run")} is to be the id of a run, as "57" or "2-57".`);
  return { run };
}
