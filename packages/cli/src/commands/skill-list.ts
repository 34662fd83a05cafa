/** `yoi skill list`: the skills of this workspace and of its user, those that others stand before, and what is wrong with any. */
import { escapeControls } from "@yoi/base";
import { namedWorkspace } from "../compose/configuration.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { printTable } from "../output/table.ts";
import type { JsonFlag } from "../program/act.ts";
import { shadowedText } from "../skills/pod-skills.ts";
import { workspaceSkills } from "../skills/workspace-skills.ts";

export interface SkillFlags extends JsonFlag {
  readonly cd?: string;
}

export async function skillList(flags: SkillFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const { desk, whyNot } = await workspaceSkills(workspace, environment);
  const { skills, shadowed, problems } = desk.found;
  if (flags.json === true) {
    const listed = skills.map((skill) => ({ ...skill, offered: whyNot(skill) === null }));
    const behind = shadowed.map(({ skill, by }) => ({ ...skill, by }));
    process.stdout.write(jsonLine({ workspace, skills: listed, shadowed: behind, problems }));
    return exitCode.done;
  }
  const rows = skills.map((skill) => {
    const why = whyNot(skill);
    return [skill.name, skill.source, `${why === null ? "" : `(${why}) `}${skill.description}`];
  });
  printTable(["SKILL", "SOURCE", "DESCRIPTION"], rows);
  const remarks = [...problems.map(({ message }) => message), ...shadowed.map(shadowedText)];
  for (const remark of remarks) process.stderr.write(`yoi: ${escapeControls(remark)}\n`);
  return exitCode.done;
}
