/** Names of things: Pods, sessions, segments and tool calls. */
import { YoiError } from "./errors.ts";

declare const brand: unique symbol;
type Branded<B extends string> = string & { readonly [brand]: B };

/** UUID v7, lower case. One Session is the fork tree of its segments. */
export type SessionId = Branded<"SessionId">;
/** UUID v7, lower case. One Segment is one log file. */
export type SegmentId = Branded<"SegmentId">;
/** A checked Pod name; it is also the key of everything stored for the Pod. */
export type PodName = Branded<"PodName">;
/** `<item id of its request>.<index>`: how a tool call is known. Providers repeat their own ids, so those never identify a call. */
export type CallId = Branded<"CallId">;

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const podNamePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;

export function isUuidV7(text: string): boolean {
  return uuidV7.test(text);
}

export function sessionId(text: string): SessionId {
  if (!isUuidV7(text)) throw new TypeError(`not a session id: ${JSON.stringify(text)}`);
  return text as SessionId;
}

export function segmentId(text: string): SegmentId {
  if (!isUuidV7(text)) throw new TypeError(`not a segment id: ${JSON.stringify(text)}`);
  return text as SegmentId;
}

export function isPodName(text: string): text is PodName {
  return podNamePattern.test(text);
}

/** Checks a Pod name: ASCII letters, digits, `-`, `_`, `.`; 1 to 64 characters; no leading dot or dash. */
export function podName(text: string): PodName {
  if (!isPodName(text)) {
    throw new YoiError(
      "pod_name_invalid",
      `The Pod name ${JSON.stringify(text)} is not valid: use 1 to 64 ASCII letters, digits, "-", "_" or ".", not starting with a dot or a dash.`,
    );
  }
  return text;
}

/**
 * How an entry is known in all of a Pod's segments: its seq in the segment in which it was written first, behind that segment's generation where
 * that is not the first one: `57`, `2-57`. It stays when a later segment carries the item on.
 */
export function entryId(generation: number, seq: number): string {
  return generation === 0 ? `${seq}` : `${generation}-${seq}`;
}

/** @param generation of the segment that holds the request. */
export function callId(requestSeq: number, index: number, generation = 0): CallId {
  return `${entryId(generation, requestSeq)}.${index}` as CallId;
}
