/** The profiles that SpawnPod can name, as lines of its description. */
import { shownLine } from "../shown-line.ts";

/** A profile as discovery found it: from a file of the user's or the project's, so its texts are shown bounded. */
export interface SpawnProfile {
  /** With its source: `project:tester`. */
  readonly selector: string;
  readonly description: string;
  /** Why it cannot be used; absent: it can. */
  readonly problem?: string;
}

/** Lines; what comes after is counted. */
export const profilesShownMax = 32;
/** UTF-16 units of one selector. */
const selectorCharsMax = 80;
/** UTF-16 units of one description or problem. */
export const profileTextCharsMax = 200;

/** Begins with the blank line that sets it apart. */
export function profileLines(profiles: readonly SpawnProfile[]): string {
  if (profiles.length === 0) return "\n\nThere are no profiles that could be named.";
  const lines = profiles.slice(0, profilesShownMax).map(lineOf);
  const more = profiles.length - lines.length;
  if (more > 0) lines.push(`- and ${more} more, which are not shown here`);
  return `\n\nProfiles:\n${lines.join("\n")}`;
}

function lineOf({ selector, description, problem }: SpawnProfile): string {
  const name = shownLine(selector, selectorCharsMax);
  if (problem !== undefined) return `- ${name} cannot be used: ${shownLine(problem, profileTextCharsMax)}`;
  return description === "" ? `- ${name}` : `- ${name}: ${shownLine(description, profileTextCharsMax)}`;
}
