/** The features that ship with yoi. */
import { podsFeature, type SpawnProfile, taskFeature } from "@yoi/builtin";
import type { FeatureModule } from "@yoi/feature";

/**
 * New ones at each call, in the order in which a Pod installs them.
 * @param profiles those that a child can be started with. Null: the Pod is not hosted, so it has no children and no tools for them.
 */
export function builtInFeatures(profiles: readonly SpawnProfile[] | null): readonly FeatureModule[] {
  return [taskFeature(), ...(profiles === null ? [] : [podsFeature({ profiles })])];
}
