/** The state of a module, read once: later changes to the module's object change nothing. */
import { YoiError } from "@yoi/base";
import type { FeatureDescriptor, FeatureModule, FeatureState } from "@yoi/feature";

/** Null: neither declared nor there. Throws feature_invalid where it is only one of the two, or no state. */
export function readState(
  { id, state: declared }: FeatureDescriptor,
  module: FeatureModule,
): FeatureState | null {
  const state: unknown = module.state;
  if (state === undefined && declared === null) return null;
  const { restore, snapshot, describe, panel } = Object(state) as { [key: string]: unknown };
  if (declared === null || typeof restore !== "function" || typeof snapshot !== "function") {
    const why =
      declared === null
        ? "brings a state that its descriptor does not declare"
        : "declares a state and brings none with restore() and snapshot()";
    throw new YoiError("feature_invalid", `${id} ${why}.`);
  }
  if (describe !== undefined && typeof describe !== "function")
    throw new YoiError("feature_invalid", `${id} has a state whose describe is no function.`);
  if (panel !== undefined && typeof panel !== "function")
    throw new YoiError("feature_invalid", `${id} has a state whose panel is no function.`);
  return Object.freeze({
    restore: (...args: Parameters<FeatureState["restore"]>) => restore.call(state, ...args),
    snapshot: () => snapshot.call(state),
    ...(typeof describe === "function" && { describe: () => describe.call(state) }),
    ...(typeof panel === "function" && { panel: () => panel.call(state) }),
  });
}
