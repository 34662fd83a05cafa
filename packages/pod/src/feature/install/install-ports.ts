/** What the installations of all features share. */
import type { Clock, Timers } from "@yoi/base";
import type { PodManagement } from "@yoi/feature";
import type { Alerts } from "../../alert/alerts.ts";
import type { BackgroundTasks } from "../background/background-tasks.ts";
import type { FeatureHost } from "../feature-host.ts";
import type { ServiceHub } from "../services/service-hub.ts";
import type { Notifier } from "../sinks/notifier.ts";

export interface InstallPorts {
  readonly host: FeatureHost;
  readonly alerts: Alerts;
  readonly notifier: Notifier;
  readonly pods: PodManagement | null;
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
  readonly hub: ServiceHub;
  readonly tasks: BackgroundTasks;
  readonly podLife: FeatureLife;
}

/** How long what was made for a feature may be used. */
export class FeatureLife {
  readonly #within: FeatureLife | null;
  #isOver = false;

  /** Over at the latest when `within` is. */
  constructor(within: FeatureLife | null) {
    this.#within = within;
  }

  get isOver(): boolean {
    return this.#isOver || this.#within?.isOver === true;
  }

  end(): void {
    this.#isOver = true;
  }
}
