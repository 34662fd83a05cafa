/** Approval: that a call waits for the user, and the answer, as the log has them. */
import type { CallId } from "./ids.ts";

/** A call waits for the user: it starts when this is answered, and counts as refused when it expires. */
export interface ApprovalAsked {
  readonly kind: "approval_asked";
  readonly call: CallId;
  /** What an answer is bound to: SHA-256 of the canonical JSON of Pod, segment, call, tool and arguments. */
  readonly digest: string;
  /** Why somebody is asked, for a person. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
  /** Rules that an answer may keep, each as a person reads it, the narrowest first; absent: it is good for this call only. */
  readonly offers?: readonly string[];
  /** The call would leave the Pod's scope, and what would let it; absent: it stays inside. */
  readonly wish?: ScopeWish;
}
/** What a call needs beyond the Pod's scope. */
export interface ScopeWish {
  readonly permission: "read" | "write";
  /** Absolute and real. */
  readonly target: string;
}
/** How long an answer counts for calls beyond the one that was asked about. */
export interface KeptAnswer {
  /** session: as long as this session goes on. always: in any, until it is revoked or its time is over. */
  readonly for: "session" | "always";
  /** One of the `offers`. */
  readonly rule: string;
  /** Milliseconds since the epoch; absent: until it is revoked. */
  readonly expires?: number;
  /** true: in every workspace. Absent: in that of this Pod. */
  readonly everywhere?: true;
}
/** As it is on record. */
export interface KeptOnAnswer extends KeptAnswer {
  /** Of one for always: the id of the grant that it gave. */
  readonly grant?: string;
}
/** What let a call start that somebody would have been asked about, or that left the scope as it was without it. */
export interface AllowedBy {
  readonly for: KeptAnswer["for"];
  /** Of a grant, or of the `approval_answered` that counts for the session. */
  readonly id: string;
  readonly rule: string;
}
/** Good for one start of one call, and with `keep` for what it says. */
export interface ApprovalAnswered {
  readonly kind: "approval_answered";
  readonly call: CallId;
  readonly digest: string;
  readonly answer: "allow" | "deny";
  /** Of a denial, as the model is told. */
  readonly reason?: string;
  /** Of an allow that counts for more than this call. */
  readonly keep?: KeptOnAnswer;
  /** What the user allowed for more calls while this one waited, and what answers it so; absent: the user answered it. */
  readonly allowed_by?: readonly AllowedBy[];
}
