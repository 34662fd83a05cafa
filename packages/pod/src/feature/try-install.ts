/** What an installation comes to, for whoever wants to know without a Pod: nothing is started, and nothing stays in force. */
import { type Clock, type Timers, type Tool, YoiError } from "@yoi/base";
import type { FeatureId, FeatureInstallReport, FeatureModule, PodManagement } from "@yoi/feature";
import { Alerts } from "../alert/alerts.ts";
import { HookRegistry } from "../hook/registry.ts";
import type { FeatureHost } from "./feature-host.ts";
import { installFeatures } from "./install-features.ts";
import type { Notifier } from "./sinks/notifier.ts";
import type { SwitchedOff } from "./switched-off.ts";

export interface TryRequest {
  readonly modules: readonly FeatureModule[];
  /** Absent: none is. */
  readonly switchedOff?: SwitchedOff;
  /** Those that the model has without any feature. */
  readonly existingTools: readonly Tool[];
  readonly host: FeatureHost;
  /** Whether the Pod that it is tried for could begin children. Absent: it could not. */
  readonly managesPods?: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** One report for each module, in their order. What would be an alert of a Pod stands in the reports. */
export async function tryFeatures({
  managesPods = false,
  ...request
}: TryRequest): Promise<readonly FeatureInstallReport[]> {
  const installed = await installFeatures({
    ...request,
    pods: managesPods ? noPods : null,
    hooks: new HookRegistry(),
    alerts: new Alerts({ clock: request.clock, told: () => undefined }),
    notifier: noNotifier,
  });
  const { reports } = installed;
  await installed.stop();
  installed.end();
  return reports;
}

const nobody = (feature: FeatureId): never => {
  throw new YoiError("authority_denied", `There is no Pod here that ${feature} could tell something.`);
};
const noNotifier: Notifier = {
  notify: async (feature) => nobody(feature),
  position: nobody,
  keepPosition: async (feature) => nobody(feature),
};
const refuse = async (): Promise<never> => {
  throw new YoiError("authority_denied", "There is no Pod here that could have children or peers.");
};
const noPods: PodManagement = {
  spawn: refuse,
  send: refuse,
  read: refuse,
  stop: refuse,
  list: refuse,
  restore: refuse,
  sendToPeer: refuse,
};
