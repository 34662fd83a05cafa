/** PodEvent: what whoever watches a Pod is told while it works: what its worker tells, every warning as an alert, and what its drive decides. */
import type { WorkerEvent } from "@yoi/worker";
import type { Alert } from "../alert/alerts.ts";
import type { DriveState } from "./drive.ts";
import type { RunReport } from "./run-report.ts";

export type PodEvent =
  | Exclude<WorkerEvent, { readonly type: "warning" }>
  | { readonly type: "alert"; readonly alert: Alert }
  | { readonly type: "state"; readonly state: DriveState }
  /** Behind the closing record, of asked runs and of those that began by themselves. `run`: seq of the first invoke; null: it never came on record. */
  | { readonly type: "run_ended"; readonly run: number | null; readonly report: RunReport }
  /** The log could not be written: what of the run is on record stands. */
  | { readonly type: "run_failed"; readonly run: number | null; readonly error: unknown };

/** An observer that throws is ignored: it cannot change a run. */
export type PodObserver = (event: PodEvent) => void;
