/** A feature with one hook before each request. */
import type { FeatureModule, Hook } from "@yoi/feature";
import { descriptorOf } from "../../packages/pod/test/feature/features.ts";

export function hookedFeature(hook: Hook<"pre_llm_request">): FeatureModule {
  return {
    descriptor: descriptorOf("builtin:remind", {
      hooks: [{ name: "remind", point: "pre_llm_request", required: true }],
    }),
    install: ({ hooks }) => {
      hooks.preLlmRequest("remind", hook);
    },
  };
}
