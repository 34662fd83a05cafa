/** `yoi profile`: names, flags and help. */
import type { Command } from "commander";
import type { Act } from "./act.ts";

export function addProfileCommands(program: Command, act: Act): void {
  const profile = program
    .command("profile")
    .description("Look at profiles: choices that a Pod is started with");
  profile.addHelpText("after", "\nExample:\n  yoi profile list");
  profile
    .command("list")
    .description("List the profiles of yoi, your own and the workspace's, and what is wrong with any")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText(
      "after",
      `
Examples:
  yoi profile list
  yoi run --profile reader "where is the retry limit set?"
Yours are <name>.toml in profiles of your config directory, the workspace's in .yoi/profiles; \`yoi config show --profile NAME\` has
what comes of one.`,
    )
    .action(
      act(async (flags: import("../commands/profile-list.ts").ProfileFlags) =>
        (await import("../commands/profile-list.ts")).profileList(flags),
      ),
    );
}
