/** PodEvent: what whoever watches a Pod is told while it works: what its worker tells, every warning as an alert, and what its drive decides. */
import type { WorkerEvent } from "@yoi/worker";
import type { Alert } from "../alert/alerts.ts";
import type { DriveEvent } from "./drive-parts.ts";

export type PodEvent =
  | Exclude<WorkerEvent, { readonly type: "warning" }>
  | { readonly type: "alert"; readonly alert: Alert }
  | DriveEvent;

/** An observer that throws is ignored: it cannot change a run. */
export type PodObserver = (event: PodEvent) => void;
