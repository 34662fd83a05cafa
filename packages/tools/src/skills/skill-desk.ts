/** SkillDesk: the skills of one Pod: what it offers, and loading one for the model or for the user. */
import { escapeControls, nearest, skillItem, type SkillText, type SystemItem, YoiError } from "@yoi/base";
import { findSkills, readNamedSkill } from "./find-skills.ts";
import { createLoadedSkills, type LoadedSkills } from "./loaded-skills.ts";
import type { ReadSkill } from "./read-skill.ts";
import type { FoundSkills, Skill } from "./skill.ts";
import type { SkillPlace } from "./skill-place.ts";
import { skillText } from "./skill-text.ts";

/** Names that a sentence lists. */
export const skillsNamedMax = 20;

export interface SkillDesk {
  /** As they were when the Pod was opened. */
  readonly found: FoundSkills;
  readonly loaded: LoadedSkills;
  /** As they are now. */
  find(): Promise<FoundSkills>;
  /** Throws skill_unknown, saying which there are. */
  read(name: string): Promise<ReadSkill>;
  /** As it goes on record. */
  text(read: ReadSkill): Promise<SkillText>;
}

/** @param redact takes out what may not go on record: what is there later is compared with what was. */
export async function openSkills(
  places: readonly SkillPlace[],
  redact: (text: string) => string = (text) => text,
): Promise<SkillDesk> {
  const find = () => findSkills(places);
  return {
    found: await find(),
    loaded: createLoadedSkills(),
    find,
    read: async (name) => {
      const read = await readNamedSkill(places, name);
      if (read !== null && "skill" in read) return read;
      const asked = `There is no skill ${escapeControls(JSON.stringify(name))}`;
      // What is wrong with a folder of that name says more than that there is no such skill.
      if (read !== null) throw new YoiError("skill_unknown", `${asked}. ${read.message}`);
      throw unknownSkill(asked, name, (await find()).skills);
    },
    text: async (read) => {
      const text = await skillText(read);
      return { ...text, path: redact(text.path), body: redact(text.body) };
    },
  };
}

function unknownSkill(asked: string, name: string, skills: readonly Skill[]): YoiError {
  const names = skills.map((skill) => skill.name);
  if (names.length === 0) return new YoiError("skill_unknown", `${asked}, and no other here.`);
  const near = nearest(name, names);
  const rest = names.length > skillsNamedMax ? ` and ${names.length - skillsNamedMax} more` : "";
  const known = `There are: ${names.slice(0, skillsNamedMax).join(", ")}${rest}.`;
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  return new YoiError("skill_unknown", `${asked}.${meant} ${known}`);
}

/** What is committed behind a prompt that names a skill. Throws YoiErrors: then the prompt goes without it. */
export async function attachSkill(name: string, desk: SkillDesk): Promise<SystemItem> {
  const text = await desk.text(await desk.read(name));
  const item = skillItem(text, "user");
  if (!desk.loaded.has(text)) return item;
  // Its record names no text: where that which it means is left out of history one day, this is not that text.
  return { ...item, record: { skill: name }, body: `[Skill: ${name}]\n${loadedBefore}` };
}

const loadedBefore =
  "It was loaded before and has not changed: follow it. Where you cannot see it any more, load it with Skill.";
