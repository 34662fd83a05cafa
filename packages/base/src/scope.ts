/** Scope shapes: who may touch which path. The algebra over them is in `scope`. */

/** `write` includes `read`. */
export type ScopePermission = "read" | "write";

export interface ScopeRule {
  /** Absolute, normalised path. */
  readonly target: string;
  readonly permission: ScopePermission;
  /** True: the target and everything below it. False: the target itself and its direct children. */
  readonly recursive: boolean;
}

/** Effective permission = the greatest matching allow, capped by the lowest matching deny (a deny of `read` leaves nothing). */
export interface Scope {
  readonly allow: readonly ScopeRule[];
  readonly deny: readonly ScopeRule[];
}
