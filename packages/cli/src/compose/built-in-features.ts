/** The features that every Pod has. */
import { taskFeature } from "@yoi/builtin";
import type { FeatureModule } from "@yoi/feature";

/** New ones at each call, in the order in which a Pod installs them. */
export function builtInFeatures(): readonly FeatureModule[] {
  return [taskFeature()];
}
