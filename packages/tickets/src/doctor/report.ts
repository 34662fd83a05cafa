/** DoctorReport: what is wrong with the tickets of a root, as data. */
import type { TicketCheck } from "./checks.ts";

export interface TicketProblem {
  /** error: something is lost, contradictory or cannot be read. warning: allowed, and hardly meant. */
  readonly severity: "error" | "warning";
  /** Which check found it. */
  readonly check: TicketCheck;
  /** Null: it is about the root. */
  readonly ticket: string | null;
  /** Of the file or folder, relative to the root. */
  readonly path: string;
  /** From 1. */
  readonly line?: number;
  /** One sentence: what, where, what to do. */
  readonly message: string;
  /** `--fix` mends it without losing anything. */
  readonly fixable: boolean;
  /** It was mended now. */
  readonly fixed: boolean;
}

export interface DoctorReport {
  readonly root: string;
  readonly tickets: number;
  /** Errors first, then by ticket and line. */
  readonly problems: readonly TicketProblem[];
  /** Beyond those that are listed. */
  readonly more: number;
}
