/** Encode line: from a value to the bytes of its line, LF included. One encoding serves every connection that it goes to. */
import type { LogEntry } from "@yoi/base";
import type { StreamEvent } from "./event.ts";
import { frameBytesMax } from "./limits.ts";
import { LineTooLong } from "./line-reader.ts";
import type { Request, Response } from "./method.ts";

/** Throws LineTooLong for more than a frame may have. */
export function encodeLine(value: Request | Response | StreamEvent): Uint8Array {
  if ("event" in value && value.event === "entry") return encodeEntryLine(JSON.stringify(flat(value.entry)));
  return framed(`${JSON.stringify(value)}\n`);
}

/**
 * The line of an `entry` event.
 * @param json the entry's JSON object as the log has it, without its checksum. It is not looked into. Throws LineTooLong for more than a frame may have.
 */
export function encodeEntryLine(json: string): Uint8Array {
  return framed(`{"event":"entry","entry":${json}}\n`);
}

function framed(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length - 1 > frameBytesMax) throw new LineTooLong(frameBytesMax);
  return bytes;
}

/** As its line in the log: the fields of a kind that this version does not know stand beside its head. */
function flat(entry: LogEntry): object {
  if (!("opaque" in entry)) return entry;
  const { opaque: _opaque, fields, ...head } = entry;
  return { ...head, ...fields };
}
