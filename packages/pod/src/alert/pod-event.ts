/** PodEvent: what whoever watches a Pod is told while it runs: what its worker tells, with every warning as an alert. */
import type { WorkerEvent } from "@yoi/worker";
import type { Alert } from "./alerts.ts";

export type PodEvent =
  | Exclude<WorkerEvent, { readonly type: "warning" }>
  | { readonly type: "alert"; readonly alert: Alert };

/** An observer that throws is ignored: it cannot change a run. */
export type PodObserver = (event: PodEvent) => void;
