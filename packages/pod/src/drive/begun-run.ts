/** BegunRun: a run that was accepted, as whoever asked for it gets it, while it goes on. */
import type { RunReport } from "./run-report.ts";

export interface BegunRun {
  /** Seq of its `invoke`, durable; null: it was stopped before it was on record. */
  readonly seq: number | null;
  /** Resolves at its end, with the notification runs that follow it; rejects when the log cannot be written. */
  readonly ended: Promise<RunReport>;
}

/** What became of something that carries a submission's name. */
export type Accepted =
  | { readonly duplicate: false; readonly seq: number }
  /** It was accepted before; nothing was done now. `seq` is that of then. */
  | { readonly duplicate: true; readonly seq: number };
