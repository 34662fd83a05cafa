/** The skills of one Pod: what its model and its user can load, and what is said of those that they cannot. */
import { messageOf, partText, type SkillRefPart, type SystemItem, YoiError } from "@yoi/base";
import type { Manifest } from "@yoi/manifest";
import { PermissionGate } from "@yoi/pod";
import type { Protection } from "@yoi/scope";
import {
  type Attachments,
  attachSkill,
  type FoundSkills,
  openSkills,
  type SkillDesk,
  type SkillPlace,
} from "@yoi/tools";
import type { Environment } from "../environment.ts";
import { knownSecrets } from "../known-secrets.ts";
import { skillPlaces } from "./skill-places.ts";

/** Sentences at the start of a Pod; `yoi skill list` has all. */
const saidMax = 5;

/** Null: switched off. */
export async function openPodSkills(
  manifest: Manifest,
  protection: Protection,
  environment: Environment,
): Promise<SkillDesk | null> {
  const { skills, features } = manifest;
  if (!skills.enabled) return null;
  const places = skillPlacesOf(manifest, protection, environment, features.tickets.enabled);
  return openSkills(places, knownSecrets.redact);
}

/** @param hasShipped those that come with yoi, too. */
export function skillPlacesOf(
  { workspace, scope, permissions }: Manifest,
  protection: Protection,
  environment: Environment,
  hasShipped: boolean,
): readonly SkillPlace[] {
  const gate = new PermissionGate({ permissions, workspace, locate: (path) => path });
  const mayRead = (path: string) => gate.mayShow("Read", path);
  return skillPlaces({ workspace, protection, deny: scope.deny, mayRead, environment, hasShipped });
}

/** What the user should know when a Pod begins: what was skipped, and which skill of the workspace stands before one of their own. */
export function skillWarnings({ problems, shadowed, skills }: FoundSkills): readonly string[] {
  const ofProject = new Map(
    skills.filter(({ source }) => source === "project").map(({ name, path }) => [name, path]),
  );
  const warnings = [
    ...problems.map(({ message }) => message),
    ...shadowed
      .filter(({ skill, by }) => skill.source !== "project" && ofProject.get(skill.name) === by)
      .map(({ skill, by }) => `The skill ${skill.name} of the project (${by}) stands before ${skill.path}.`),
  ];
  const left = warnings.length - saidMax;
  if (left <= 0) return warnings;
  return [
    ...warnings.slice(0, saidMax),
    `${left} more ${left === 1 ? "remark" : "remarks"} about skills: yoi skill list.`,
  ];
}

export function shadowedText({ skill, by }: FoundSkills["shadowed"][number]): string {
  return `The skill ${skill.path} is not used: ${by} has its name and comes first.`;
}

/** What a prompt that begins with a skill brings along. */
export async function attachSkills(
  references: readonly SkillRefPart[],
  desk: SkillDesk | null,
): Promise<Attachments> {
  const items: SystemItem[] = [];
  const warnings: string[] = [];
  for (const reference of references) {
    try {
      if (desk === null)
        throw new YoiError("skill_unknown", "Skills are switched off ([skills] enabled = false).");
      items.push(await attachSkill(reference.name, desk));
    } catch (error) {
      if (!(error instanceof YoiError)) throw error;
      warnings.push(`${partText(reference)} stays as it was typed: ${messageOf(error)}`);
    }
  }
  return { items, warnings };
}
