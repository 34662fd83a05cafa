/** Read Pod line: what a Pod says, checked before a client decides anything by it. */
import { jsonDepthMax, type JsonObject } from "@yoi/base";
import type { StreamEvent } from "./event.ts";
import { Fields } from "./fields.ts";
import { frameBytesMax, idCharsMax } from "./limits.ts";
import { protocolErrorCodes, type ProtocolError, type Response } from "./method.ts";
import { Fault, parseLine } from "./parse-line.ts";
import { readCursor } from "./read-cursor.ts";
import { readEntry } from "./read-entry.ts";
import { readLive } from "./read-live.ts";
import { readView } from "./read-view.ts";

/** A line that no Pod of this protocol says: the connection is of no use any more. The message is one sentence. */
export class BadPodLine extends Error {
  override readonly name = "BadPodLine";
}

/** An event of a later release. `n` is that of a live event, which counts as seen; null: it is not numbered. */
export interface UnknownEvent {
  readonly event: "unknown";
  readonly n: number | null;
}

/** An answer whose result its request's method has to judge: `readResult`. */
export type Answer =
  | { readonly id: string; readonly result: JsonObject }
  | Extract<Response, { readonly error: ProtocolError }>;
export type PodLine = Answer | StreamEvent | UnknownEvent;

/** An entry's fields may be nested as deep as its log's were. */
const podLineDepthMax = jsonDepthMax + 1;

/** Fields that are not known are left out, those of entries apart. Throws BadPodLine. */
export function readPodLine(line: Uint8Array): PodLine {
  try {
    // Its values are as many as its bytes allow: an entry is whatever the log holds.
    const fields = new Fields(parseLine(line, podLineDepthMax, frameBytesMax), "");
    return fields.has("event") ? readEvent(fields) : readAnswer(fields);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new BadPodLine(`What the Pod says cannot be read: ${cause.message}`);
  }
}

function readEvent(fields: Fields): StreamEvent | UnknownEvent {
  const event = fields.string("event");
  switch (event) {
    case "entry":
      return { event, entry: readEntry(fields.object("entry")) };
    case "entry_omitted":
      return {
        event,
        seq: fields.count("seq"),
        kind: fields.string("kind"),
        bytes: fields.count("bytes"),
      };
    case "segment_rotated":
      return {
        event,
        segment: fields.text("segment", idCharsMax, 1),
        generation: fields.count("generation", 1),
        why: fields.oneOf("why", ["compacted", "forked"]),
        from: readCursor(fields.object("from")),
        left: readCursor(fields.object("left")),
      };
    case "snapshot":
      return { event, view: readView(fields.object("view")) };
    case "live": {
      const n = fields.count("n");
      const live = readLive(fields.object("live"));
      return live === null ? { event: "unknown", n } : { event, n, live };
    }
    case "resync":
      return { event, after: fields.nullOr("after", (name) => readCursor(fields.object(name))) };
    default:
      return { event: "unknown", n: null };
  }
}

function readAnswer(fields: Fields): Answer {
  if (!fields.has("error")) {
    return { id: fields.text("id", idCharsMax, 1), result: fields.object("result").whole };
  }
  return {
    id: fields.nullOr("id", (name) => fields.text(name, idCharsMax, 1)),
    error: readError(fields.object("error")),
  };
}

/** A code of a later release is `internal` here, with that code as its cause where it names none. */
function readError(fields: Fields): ProtocolError {
  const said = fields.string("code");
  const code = protocolErrorCodes.find((each) => each === said);
  const cause = fields.has("cause") ? fields.string("cause") : code === undefined ? said : undefined;
  return {
    code: code ?? "internal",
    message: fields.string("message"),
    ...(cause === undefined ? {} : { cause }),
    ...(fields.has("versions") ? { versions: fields.counts("versions") } : {}),
  };
}
