/** Scope shapes: who may touch which path. The algebra over them is in `scope`. */

/** `write` includes `read`. */
export type ScopePermission = "read" | "write";

export interface ScopeRule {
  /** Absolute, normalised path. */
  readonly target: string;
  readonly permission: ScopePermission;
  /** True: the target and everything below it. False: the target itself and its direct children. */
  readonly recursive: boolean;
  /** Of a rule that allows write, by the user's word: other Pods may write there at the same time, so nobody holds it alone and nobody lends it. */
  readonly shared?: true;
  /** By an answer of the user to a call, not by configuration: it opens no directory of programs in the home directory, and is never lent. */
  readonly granted?: true;
}

/** Effective permission = the greatest matching allow, capped by the lowest matching deny (a deny of `read` leaves nothing). */
export interface Scope {
  readonly allow: readonly ScopeRule[];
  readonly deny: readonly ScopeRule[];
}

/** A part of a Pod's scope, lent to a child. While it is open the lender cannot write what it lets the child write. */
export interface Loan {
  /** UUID v7: another one at each delegation, also of the same rules to the same child. */
  readonly id: string;
  /** All that the child may touch, canonical: what was asked for, what shells need to read, and the lender's denies. */
  readonly scope: Scope;
}
