/** Features that a profile or a config file switches off: they are not tried, and their report says who did it. */
import type { FeatureId } from "@yoi/feature";
import { builtIn, type FeatureName, featureNames, type Manifest } from "@yoi/manifest";
import type { Candidate } from "./install/read-modules.ts";

/** Where a feature is switched off, `<path>:<line>`; null: nowhere. */
export type SwitchedOff = (feature: FeatureId) => string | null;

/** What each name stands for: tickets are kept by one feature and worked with by another. */
const switched: Readonly<Record<FeatureName, readonly `builtin:${string}`[]>> = {
  task: ["builtin:task"],
  pods: ["builtin:pods"],
  tickets: ["builtin:ticket-store", "builtin:tickets"],
};

/** Only what ships with yoi has a name there. */
export function switchedOffBy(features: Manifest["features"]): SwitchedOff {
  const off = new Map<string, string>();
  for (const name of featureNames) {
    const { enabled, origin } = features[name];
    if (enabled) continue;
    const by = origin === builtIn ? `default; \`features.${name} = true\` switches it on` : origin;
    for (const feature of switched[name]) off.set(feature, by);
  }
  return (feature) => off.get(feature) ?? null;
}

/** Those that are not, in their order. */
export function switchedOn<C extends Candidate>(
  candidates: readonly C[],
  switchedOff: SwitchedOff,
): readonly C[] {
  return candidates.filter(({ descriptor, record }) => {
    const origin = switchedOff(descriptor.id);
    if (origin !== null) record.switchOff(origin);
    return origin === null;
  });
}
