/** The skills that the terminal shows: those that a new Pod would offer, and the page of them. */
import { escapeControls, YoiError } from "@yoi/base";
import type { Manifest } from "@yoi/manifest";
import { skillOffers } from "@yoi/pod";
import type { SkillOffer } from "@yoi/protocol";
import type { FoundSkills } from "@yoi/tools";
import type { Page } from "@yoi/tui";
import { resolveConfiguration } from "../compose/configuration.ts";
import { protectionFor } from "../compose/sandbox.ts";
import type { Environment } from "../environment.ts";
import { chooseProfile } from "../profiles/choose-profile.ts";
import { openPodSkills, shadowedText } from "../skills/pod-skills.ts";

/** @param profile of the command line. A configuration that cannot be read offers none: what starts the Pod says why. */
export async function offeredSkills(
  environment: Environment,
  workspace: string,
  profile: string | undefined,
): Promise<readonly SkillOffer[]> {
  try {
    const chosen = profile === undefined ? null : await chooseProfile(profile, environment, workspace);
    const { manifest } = await resolveConfiguration(environment, workspace, {}, chosen);
    return skillOffers((await found(manifest, environment))?.skills ?? []);
  } catch (error) {
    if (error instanceof YoiError) return [];
    throw error;
  }
}

/** As they are now; the open Pod was told of those that there were when it was opened. */
export async function skillsPage(manifest: Manifest, environment: Environment): Promise<Page> {
  const all = await found(manifest, environment);
  const text =
    all === null
      ? "Skills are switched off: [skills] enabled is false.\n"
      : skillsText(all, manifest.workspace);
  return { title: "Skills", text };
}

async function found(manifest: Manifest, environment: Environment): Promise<FoundSkills | null> {
  const protection = protectionFor(environment, manifest.workspace, null);
  return (await openPodSkills(manifest, protection, environment))?.found ?? null;
}

function skillsText({ skills, shadowed, problems }: FoundSkills, workspace: string): string {
  const listed = skills.map(({ name, source, description, path }) =>
    linesOf(`/${name} (${source})`, `  ${description}`, `  ${path}`),
  );
  const none = `There are no skills here. One is a folder in ${workspace}/.yoi/skills with a SKILL.md in it, which says with a name and a description what it is for.\n`;
  const behind = shadowed.map((one) => linesOf(shadowedText(one)));
  const wrong = problems.map(({ message }) => linesOf(message));
  return [skills.length === 0 ? none : listed.join("\n"), behind.join(""), wrong.join("")]
    .filter((part) => part !== "")
    .join("\n");
}

/** Each is one line, whatever is in it. */
function linesOf(...lines: readonly string[]): string {
  return lines.map((line) => `${escapeControls(line)}\n`).join("");
}
