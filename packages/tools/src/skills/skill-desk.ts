/** SkillDesk: the skills of one Pod: what it offers, and loading one for the model or for the user. */
import { escapeControls, nearest, skillItem, type SystemItem, YoiError } from "@yoi/base";
import { findSkills, readNamedSkill } from "./find-skills.ts";
import { createLoadedSkills, type LoadedSkills } from "./loaded-skills.ts";
import type { ReadSkill } from "./read-skill.ts";
import type { FoundSkills } from "./skill.ts";
import type { SkillPlace } from "./skill-place.ts";
import { skillText } from "./skill-text.ts";

/** Names that a sentence lists. */
const namedMax = 20;

export interface SkillDesk {
  /** As they were when the Pod was opened. */
  readonly found: FoundSkills;
  readonly loaded: LoadedSkills;
  /** As they are now. */
  find(): Promise<FoundSkills>;
  /** Throws skill_unknown, saying which there are. */
  read(name: string): Promise<ReadSkill>;
}

export async function openSkills(places: readonly SkillPlace[]): Promise<SkillDesk> {
  const find = () => findSkills(places);
  return {
    found: await find(),
    loaded: createLoadedSkills(),
    find,
    read: async (name) => (await readNamedSkill(places, name)) ?? refuse(name, await find()),
  };
}

/** What is wrong with a folder of that name says more than that there is no such skill. */
export function refuse(name: string, { skills, problems }: FoundSkills): never {
  const names = skills.map((skill) => skill.name);
  const broken = problems.find(
    ({ path, message }) =>
      message.includes("was skipped") && path.split("/").slice(-2).includes(name) && name !== "",
  );
  const near = nearest(name, names);
  const listed = names.slice(0, namedMax).join(", ");
  const rest = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
  const known = names.length === 0 ? "there are none here" : `there are: ${listed}${rest}`;
  const why =
    broken?.message ??
    (near === null
      ? `${known[0]?.toUpperCase() ?? ""}${known.slice(1)}.`
      : `Did you mean ${near}? ${known[0]?.toUpperCase() ?? ""}${known.slice(1)}.`);
  throw new YoiError("skill_unknown", `There is no skill ${JSON.stringify(escapeControls(name))}. ${why}`);
}

/** What is committed behind a prompt that names a skill. Throws YoiErrors: then the prompt goes without it. */
export async function attachSkill(name: string, desk: SkillDesk): Promise<SystemItem> {
  const text = await skillText(await desk.read(name));
  if (!desk.loaded.has(text)) return skillItem(text, "user");
  const item = skillItem(
    {
      ...text,
      body: `[Skill: ${name}]\nIt was loaded before and has not changed: follow it. Where you cannot see it any more, load it with Skill.`,
    },
    "user",
  );
  const { record: _, ...said } = item;
  return said;
}
