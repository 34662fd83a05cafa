/** `yoi skill show`: one skill, as a model would read it. */
import { escapeControls } from "@yoi/base";
import { skillFiles } from "@yoi/tools";
import { namedWorkspace } from "../compose/configuration.ts";
import { readEnvironment } from "../environment.ts";
import { exitCode } from "../exit-code.ts";
import { jsonLine } from "../output/json-line.ts";
import { workspaceSkills } from "../skills/workspace-skills.ts";
import type { SkillFlags } from "./skill-list.ts";

export async function skillShow(name: string, flags: SkillFlags): Promise<number> {
  const environment = readEnvironment();
  const workspace = await namedWorkspace(flags.cd, environment);
  const { desk, whyNot } = await workspaceSkills(workspace, environment);
  const read = await desk.read(name);
  const { skill, body, sha256 } = read;
  const { names: files } = await skillFiles(read);
  const why = whyNot(skill);
  if (flags.json === true) {
    process.stdout.write(jsonLine({ ...skill, offered: why === null, sha256, files, body }));
    return exitCode.done;
  }
  const { license, compatibility, allowed_tools: tools, metadata } = skill;
  const about: readonly (readonly [string, string | undefined])[] = [
    ["source", skill.source],
    ["path", skill.path],
    ["description", skill.description],
    ["license", license],
    ["compatibility", compatibility],
    [
      "allowed tools",
      tools === undefined ? undefined : `${tools.join(", ")} (as it says; nothing enforces it)`,
    ],
    ["metadata", metadata === undefined ? undefined : JSON.stringify(metadata)],
    ["files", files.length === 0 ? undefined : files.join(", ")],
    ["not offered", why ?? undefined],
  ];
  const lines = about.flatMap(([what, said]) =>
    said === undefined ? [] : [`${what}: ${escapeControls(said)}`],
  );
  process.stdout.write(`${skill.name}\n${lines.join("\n")}\n\n${escapeControls(body, "newline-tab")}\n`);
  for (const { message } of read.remarks) process.stderr.write(`yoi: ${message}\n`);
  return exitCode.done;
}
