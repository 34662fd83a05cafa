/** Which skills there are: the first of a name wins, and what is no skill is said. */
import { escapeControls, messageOf } from "@yoi/base";
import { readSkill, type ReadSkill } from "./read-skill.ts";
import { type FoundSkills, type Skill, skillEntriesMax, type SkillProblem, skillsMax } from "./skill.ts";
import type { SkillPlace } from "./skill-place.ts";

/** In the order of `places`. Nothing is thrown for what lies in them. */
export async function findSkills(places: readonly SkillPlace[]): Promise<FoundSkills> {
  const byName = new Map<string, Skill>();
  const shadowed: { readonly skill: Skill; readonly by: string }[] = [];
  const problems: SkillProblem[] = [];
  let left = 0;
  for (const place of places) {
    for (const found of await skillsIn(place, problems)) {
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

async function skillsIn(place: SkillPlace, problems: SkillProblem[]): Promise<readonly ReadSkill[]> {
  const found: ReadSkill[] = [];
  for (const folder of await foldersIn(place, problems)) {
    const read = await readSkill(place, folder);
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
  const say = (what: string) => {
    const message = escapeControls(`The skills in ${directory} were not looked at: ${what}.`);
    problems.push({ path: directory, message });
  };
  try {
    const listed = await reader.folders(directory, skillEntriesMax);
    if (listed === null) return [];
    if (reader.owner(directory) === "foreign") {
      say("it belongs to another user");
      return [];
    }
    if (listed.more > 0) {
      const message = `${escapeControls(directory)} holds ${listed.more} more than the ${skillEntriesMax} folders that are looked at: remove some.`;
      problems.push({ path: directory, message });
    }
    return listed.names.filter((name) => !name.startsWith("."));
  } catch (error) {
    say(messageOf(error).replace(/\.$/, ""));
    return [];
  }
}

/** The skill of a name as it is now, or null: there is none. */
export async function readNamedSkill(places: readonly SkillPlace[], name: string): Promise<ReadSkill | null> {
  for (const place of places) {
    if (!(await foldersIn(place, [])).includes(name)) continue;
    const read = await readSkill(place, name);
    if ("skill" in read) return read;
  }
  return null;
}
