/** Which skills there are: the first of a name wins, and what is no skill is said. */
import { escapeControls, isSkillName, messageOf, YoiError } from "@yoi/base";
import { listedEntriesMax } from "../scoped-files.ts";
import { readSkill, type ReadSkill } from "./read-skill.ts";
import { type FoundSkills, type Skill, type SkillProblem, skillsMax, type SkillSource } from "./skill.ts";
import type { SkillPlace } from "./skill-place.ts";

/** In the order of `places`. Nothing is thrown for what lies in them. */
export async function findSkills(places: readonly SkillPlace[]): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const shadowed: { readonly skill: Skill; readonly by: string }[] = [];
  const problems: SkillProblem[] = [];
  const room: Record<SkillSource, number> = { project: skillsMax, user: skillsMax, builtin: skillsMax };
  let left = 0;
  for (const place of places) {
    const folders = await foldersIn(place, problems);
    const looked = folders.slice(0, room[place.source]);
    room[place.source] -= looked.length;
    if (looked.length < folders.length) {
      const count = folders.length - looked.length;
      const message = `${count} more ${count === 1 ? "folder" : "folders"} in ${escapeControls(place.directory)}: of one source, ${skillsMax} are looked at. Remove some.`;
      problems.push({ path: place.directory, message });
    }
    for (const found of await skillsIn(place, looked, problems)) {
      const first = byName.get(found.skill.name);
      if (first === undefined && byName.size === skillsMax) left += 1;
      else if (first === undefined) {
        byName.set(found.skill.name, found.skill);
        problems.push(...found.remarks);
      }
      // Two of the places may be one, by a link.
      else if (first.path !== found.skill.path) shadowed.push({ skill: found.skill, by: first.path });
    }
  }
  const skills = [...byName.values()];
  if (left > 0) {
    const message = `${left} ${left === 1 ? "skill was" : "skills were"} left out: a Pod has at most ${skillsMax}. Remove some.`;
    problems.push({ path: places[0]?.directory ?? "", message });
  }
  return { skills, shadowed, problems };
}

async function skillsIn(
  place: SkillPlace,
  folders: readonly string[],
  problems: SkillProblem[],
): Promise<readonly ReadSkill[]> {
  const found: ReadSkill[] = [];
  for (const folder of folders) {
    const read = await readSkill(place, folder);
    if (read === null) continue;
    if ("skill" in read) found.push(read);
    else problems.push(read);
  }
  return found;
}

/** Those whose name begins with a dot are nobody's skills. */
async function foldersIn(
  { directory, reader }: SkillPlace,
  problems: SkillProblem[],
): Promise<readonly string[]> {
  const say = (message: string) => problems.push({ path: directory, message: escapeControls(message) });
  try {
    const listed = await reader.folders(directory);
    if (listed === null) return [];
    if (reader.owner(directory) === "foreign")
      throw new YoiError("out_of_scope", "it belongs to another user");
    if (listed.isCut)
      say(`${directory} holds more than the ${listedEntriesMax} entries that are looked at: remove some.`);
    return listed.names.filter((name) => !name.startsWith("."));
  } catch (error) {
    say(`The skills in ${directory} were not looked at: ${messageOf(error).replace(/\.$/, "")}.`);
    return [];
  }
}

/** The skill of a name as it is now; else what is wrong with the first folder of that name. Null: there is none. */
export async function readNamedSkill(
  places: readonly SkillPlace[],
  name: string,
): Promise<ReadSkill | SkillProblem | null> {
  if (!isSkillName(name)) return null;
  let wrong: SkillProblem | null = null;
  for (const place of places) {
    const read = await readSkill(place, name);
    if (read !== null && "skill" in read) return read;
    wrong ??= read;
  }
  return wrong;
}
