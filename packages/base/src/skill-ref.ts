/** A reference to a skill as it is typed: `/name` where a prompt begins. */

/** Characters of a skill's name. */
export const skillNameCharsMax = 64;

const slug = "[a-z0-9]+(?:-[a-z0-9]+)*";
const wholeSlug = new RegExp(`^${slug}$`);
const opening = new RegExp(`^(\\\\?)/(${slug})(?=\\s|$)`);

/** Lower-case letters, digits and single hyphens between them. */
export function isSkillName(text: string): boolean {
  return text.length <= skillNameCharsMax && wholeSlug.test(text);
}

/** What a prompt begins with. `\/name` is that text without its backslash. Null: no name with nothing but white space or the end behind it. */
export function openingSkill(prompt: string): { readonly name: string; readonly isText: boolean } | null {
  const [, backslash = "", name = ""] = opening.exec(prompt) ?? [];
  return isSkillName(name) ? { name, isText: backslash !== "" } : null;
}
