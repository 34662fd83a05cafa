/** What an installation comes to, for whoever wants to know without a Pod: nothing is started, and nothing stays in force. */
import { type Clock, type Timers, type Tool, YoiError } from "@yoi/base";
import type { FeatureInstallReport, FeatureModule } from "@yoi/feature";
import { Alerts } from "../alert/alerts.ts";
import { HookRegistry } from "../hook/registry.ts";
import type { FeatureHost } from "./feature-host.ts";
import { installFeatures } from "./install-features.ts";

export interface TryRequest {
  readonly modules: readonly FeatureModule[];
  /** Those that the model has without any feature. */
  readonly existingTools: readonly Tool[];
  readonly host: FeatureHost;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** One report for each module, in their order. What would be an alert of a Pod stands in the reports. */
export async function tryFeatures(request: TryRequest): Promise<readonly FeatureInstallReport[]> {
  const installed = await installFeatures({
    ...request,
    hooks: new HookRegistry(),
    alerts: new Alerts({ clock: request.clock, told: () => undefined }),
    notify: async (feature) => {
      throw new YoiError("authority_denied", `There is no Pod here that ${feature} could tell something.`);
    },
  });
  const { reports } = installed;
  await installed.stop();
  installed.end();
  return reports;
}
