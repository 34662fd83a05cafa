/** The digest of an approval: what an answer is bound to, so that it is good for this call of this Pod and for no other. */
import { createHash } from "node:crypto";
import { type CallId, canonicalJson, type JsonObject, type PodName, type SegmentId } from "@yoi/base";

export interface ApprovalSubject {
  readonly pod: PodName;
  readonly segment: SegmentId;
  /** Names the request and the place in its answer. */
  readonly call: CallId;
  readonly tool: string;
  /** The very ones that will run. */
  readonly arguments: JsonObject;
}

/** SHA-256, lower-case hex, of the canonical JSON of all of it. */
export function approvalDigest({ pod, segment, call, tool, arguments: args }: ApprovalSubject): string {
  const subject = { pod, segment, call, tool, arguments: args };
  return createHash("sha256").update(canonicalJson(subject)).digest("hex");
}
