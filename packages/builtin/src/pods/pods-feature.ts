/** The Pod tools as a feature: children and peers for the model. It owns its cursors; the host lends it a handle, tools and a place in the log. */
import { YoiError } from "@yoi/base";
import { type FeatureModule, toolContribution } from "@yoi/feature";
import { KnownChildren } from "./known-children.ts";
import { OutputCursors } from "./output-cursors.ts";
import { podToolDeclarations } from "./pod-declarations.ts";
import { podTools } from "./pod-tools.ts";
import { podManagement, podsDescriptor } from "./pods-descriptor.ts";
import { podsState } from "./pods-state.ts";
import type { SpawnProfile } from "./profile-lines.ts";

interface PodsFeatureOptions {
  /** Those that SpawnPod can name, and those that discovery found damaged, in the order in which they are listed. */
  readonly profiles: readonly SpawnProfile[];
}

export function podsFeature({ profiles }: PodsFeatureOptions): FeatureModule {
  const cursors = new OutputCursors();
  const children = new KnownChildren();
  const declarations = podToolDeclarations(profiles);
  return {
    descriptor: podsDescriptor(declarations),
    state: podsState(cursors, children),
    install: ({ handles, tools }) => {
      const { pods } = handles;
      if (pods === null)
        throw new YoiError("authority_denied", "The Pod tools were installed without pod_management.");
      for (const tool of podTools(declarations, { pods, cursors, children }))
        tools.register({ ...toolContribution(tool), requires: [podManagement] });
    },
  };
}
