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
    read: async (name) => {
      const read = await readNamedSkill(places, name);
      if (read === null) throw unknownSkill(name, await find());
      return read;
    },
  };
}

/** What is wrong with a folder of that name says more than that there is no such skill. */
function unknownSkill(name: string, { skills, problems }: FoundSkills): YoiError {
  const asked = JSON.stringify(escapeControls(name));
  const broken = problems.find(({ path }) => path.split("/").slice(-2).includes(name));
  if (broken !== undefined)
    return new YoiError("skill_unknown", `There is no skill ${asked}. ${broken.message}`);
  const names = skills.map((skill) => skill.name);
  if (names.length === 0)
    return new YoiError("skill_unknown", `There is no skill ${asked}, and no other here.`);
  const near = nearest(name, names);
  const rest = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
  const known = `There are: ${names.slice(0, namedMax).join(", ")}${rest}.`;
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  return new YoiError("skill_unknown", `There is no skill ${asked}.${meant} ${known}`);
}

/** What is committed behind a prompt that names a skill. Throws YoiErrors: then the prompt goes without it. */
export async function attachSkill(name: string, desk: SkillDesk): Promise<SystemItem> {
  const text = await skillText(await desk.read(name));
  const item = skillItem(text, "user");
  if (!desk.loaded.has(text)) return item;
  // It has no record: where the text that it means is left out of history one day, this is not that text.
  const { record: _, ...said } = item;
  return { ...said, body: `[Skill: ${name}]\n${loadedBefore}` };
}

const loadedBefore =
  "It was loaded before and has not changed: follow it. Where you cannot see it any more, load it with Skill.";
