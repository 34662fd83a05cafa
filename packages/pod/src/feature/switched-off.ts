/** Features that a profile or a config file switches off: they are not tried, and their report says who did it. */
import type { FeatureId } from "@yoi/feature";
import { featureNames, type Manifest } from "@yoi/manifest";
import type { Candidate } from "./install/read-modules.ts";

/** Where a feature is switched off, `<path>:<line>`; null: nowhere. */
export type SwitchedOff = (feature: FeatureId) => string | null;

/** Only what ships with yoi has a name there. */
export function switchedOffBy(features: Manifest["features"]): SwitchedOff {
  const off = new Map<string, string>();
  for (const name of featureNames) {
    const { enabled, origin } = features[name];
    if (!enabled) off.set(`builtin:${name}`, origin);
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
