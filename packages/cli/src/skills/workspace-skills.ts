/** The skills that a Pod of a workspace would have, and those that come with yoi beside them. */
import { openSkills, type Skill, type SkillDesk } from "@yoi/tools";
import { resolveConfiguration } from "../compose/configuration.ts";
import { protectionFor } from "../compose/sandbox.ts";
import type { Environment } from "../environment.ts";
import { skillPlacesOf } from "./pod-skills.ts";

interface WorkspaceSkills {
  readonly desk: SkillDesk;
  /** Why a Pod of the workspace is not offered it, as the configuration is; null: it is. */
  readonly whyNot: (skill: Skill) => string | null;
}

/** @param workspace canonical. */
export async function workspaceSkills(workspace: string, environment: Environment): Promise<WorkspaceSkills> {
  const { manifest } = await resolveConfiguration(environment, workspace, {});
  const protection = protectionFor(environment, workspace, null);
  const desk = await openSkills(skillPlacesOf(manifest, protection, environment, true));
  return {
    desk,
    whyNot: ({ source }) => {
      if (!manifest.skills.enabled) return "[skills] enabled is false";
      if (source !== "builtin" || manifest.features.tickets.enabled) return null;
      return "only with [features] tickets";
    },
  };
}
