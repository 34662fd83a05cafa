/** StreamLine: one line for clients, encoded once for all of them. Nothing that a Pod has to say is too large to be said. */
import {
  type Cursor,
  encodeEntryLine,
  encodeLine,
  frameBytesMax,
  LineTooLong,
  type Live,
  type PodView,
  type Response,
  type Rotation,
} from "@yoi/protocol";
import type { RecordedEntry } from "@yoi/session-store";
import { firstChars } from "../hook/said.ts";
import { withTexts } from "./texts.ts";

export interface StreamLine {
  /** With its LF. */
  readonly bytes: Uint8Array;
  /** The last entry in it; null: it holds none. */
  readonly place: Cursor | null;
  /** Called once the system has taken it, or when it is thrown away. */
  readonly left?: () => void;
}

/** Bytes of all approvals of a view. */
export const approvalsBytesMax = frameBytesMax / 2;
/** How far texts are cut, one after the other, where a line would pass the limit of a frame. */
const shorter: readonly number[] = [256 * 1024, 16 * 1024, 1024, 64];

export function entryLine(segment: string, { seq, kind, json }: RecordedEntry): StreamLine {
  const place = { segment, seq };
  const whole = encoded(() => encodeEntryLine(json));
  if (whole !== null) return { bytes: whole, place };
  return { bytes: encodeLine({ event: "entry_omitted", seq, kind, bytes: Buffer.byteLength(json) }), place };
}

export function rotatedLine(rotation: Rotation): StreamLine {
  return line(encodeLine({ event: "segment_rotated", ...rotation }));
}

export function liveLine(n: number, live: Live): StreamLine {
  return line(fitting(live, (fit) => encodeLine({ event: "live", n, live: fit })));
}

export function snapshotLine(view: PodView): StreamLine {
  return line(fittingView(view, (fit) => encodeLine({ event: "snapshot", view: fit })));
}

export function shownLine(id: string, view: PodView): StreamLine {
  return line(fittingView(view, (fit) => encodeLine({ id, result: fit })));
}

export function responseLine(response: Response): StreamLine {
  return line(encodeLine(response));
}

/** The last line of a client that was too slow. */
export function streamEndLine(after: Cursor | null): StreamLine {
  return line(encodeLine({ event: "resync", after }));
}

function line(bytes: Uint8Array): StreamLine {
  return { bytes, place: null };
}

/** What somebody decides on is shown whole or not at all: what is left out is counted, and is in the log. */
function fittingView(view: PodView, encode: (view: PodView) => Uint8Array): Uint8Array {
  const { approvals, ...rest } = view;
  let bytes = 0;
  const told = approvals.filter((one) => {
    const size = Buffer.byteLength(JSON.stringify(one));
    const fits = bytes + size <= approvalsBytesMax;
    if (fits) bytes += size;
    return fits;
  });
  const omitted = approvals.length - told.length;
  return fitting(rest, (fit) =>
    encode({ ...fit, approvals: told, ...(omitted === 0 ? {} : { approvals_omitted: omitted }) }),
  );
}

function fitting<T>(value: T, encode: (value: T) => Uint8Array): Uint8Array {
  for (const charsMax of [Infinity, ...shorter]) {
    const cut = charsMax === Infinity ? value : withTexts(value, (text) => firstChars(text, charsMax));
    const bytes = encoded(() => encode(cut));
    if (bytes !== null) return bytes;
  }
  // Its lists are bounded where it is made: what is left is names and numbers.
  throw new Error("what a Pod says of itself does not fit a frame");
}

/** Null: it would pass the limit of a frame. */
function encoded(encode: () => Uint8Array): Uint8Array | null {
  try {
    return encode();
  } catch (error) {
    if (error instanceof LineTooLong) return null;
    throw error;
  }
}
