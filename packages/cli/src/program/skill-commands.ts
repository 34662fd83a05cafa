/** `yoi skill`: names, flags and help. */
import type { Command } from "commander";
import type { Act } from "./act.ts";

type Flags = import("../commands/skill-list.ts").SkillFlags;

export function addSkillCommands(program: Command, act: Act): void {
  const skill = program
    .command("skill")
    .description("Look at skills: texts that say how a kind of work is done");
  skill.addHelpText("after", "\nExample:\n  yoi skill list");
  skill
    .command("list")
    .description("List the skills of the workspace, your own and yoi's, and what is wrong with any")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText(
      "after",
      `
Examples:
  yoi skill list
  yoi skill list --json | jq -r '.skills[] | .name'
A skill is a folder NAME with a SKILL.md: in .yoi/skills, .agents/skills or .claude/skills of the workspace, in skills of your config
directory, or in ~/.agents/skills or ~/.claude/skills. The first of a name is used. A prompt that begins with /NAME loads it.`,
    )
    .action(act(async (flags: Flags) => (await import("../commands/skill-list.ts")).skillList(flags)));
  skill
    .command("show <name>")
    .description("Print one skill: what it says of itself, its files, and its text")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi skill show ticket-review")
    .action(
      act(async (name: string, flags: Flags) =>
        (await import("../commands/skill-show.ts")).skillShow(name, flags),
      ),
    );
}
