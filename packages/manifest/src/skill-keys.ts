/** The keys of `[skills]`. */
import type { SettingSpec } from "./config-keys.ts";

export interface SkillChoice {
  /** Skills are offered to the model, and loaded. */
  readonly enabled: boolean;
}

export interface SkillSettings {
  readonly "skills.enabled": boolean;
}

export const skillSettingSpecs: { readonly [K in keyof SkillSettings]: SettingSpec<SkillSettings[K]> } = {
  "skills.enabled": {
    allowed: "true or false",
    accepts: (value): value is boolean => typeof value === "boolean",
    refusedInProject: (enabled) => (enabled ? "may not be true" : null),
  },
};

/** When nobody says anything, and of a Pod of an earlier version. */
export const skillsDefault: SkillChoice = Object.freeze({ enabled: true });
