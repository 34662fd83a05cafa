/** BegunRun: a run that was accepted, as whoever asked for it gets it, while it goes on. */
import type { RunReport } from "./run-report.ts";

export interface BegunRun {
  /** `entryId` of its `invoke`, durable; null: it was stopped before it was on record, and nothing of it is kept. */
  readonly id: string | null;
  /** Resolves at its end, with the notification runs that follow it; rejects when the log cannot be written. Nobody has to listen. */
  readonly ended: Promise<RunReport>;
}

/** What became of an input. */
export type Submitted =
  | { readonly duplicate: false; readonly run: BegunRun }
  /** It was given before; nothing was done now. `id` is that of the run of then; null: that was stopped before it was on record. */
  | { readonly duplicate: true; readonly id: string | null };
