/** What clients are told of the skills that a Pod can load. */
import { type SkillOffer, skillOfferCharsMax, skillsOfferedMax } from "@yoi/protocol";

/** By name. Descriptions are cut at whole characters; who wants more reads the skill. */
export function skillOffers(skills: readonly SkillOffer[]): readonly SkillOffer[] {
  return skills
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, skillsOfferedMax)
    .map(({ name, description }) => ({
      name,
      description: description.slice(0, skillOfferCharsMax).replace(/[\ud800-\udbff]$/, ""),
    }));
}
