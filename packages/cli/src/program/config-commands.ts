/** `yoi config`: names, flags and help. */
import type { Command } from "commander";
import { type Act, profileOption } from "./act.ts";

export function addConfigCommands(program: Command, act: Act): void {
  const config = program.command("config").description("Look at the configuration");
  config.addHelpText("after", "\nExample:\n  yoi config show -C ~/site");
  config
    .command("show")
    .description("Print the configuration in force here, each value with where it comes from")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addOption(profileOption())
    .addHelpText("after", "\nExamples:\n  yoi config show\n  yoi config show --profile reader")
    .action(
      act(async (flags: import("../commands/config.ts").ShowFlags) =>
        (await import("../commands/config.ts")).configShow(flags),
      ),
    );
  config
    .command("check")
    .description("Check the configuration files: every fault with file and line, then exit 3")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi config check && echo good")
    .action(
      act(async (flags: import("../commands/config.ts").ConfigFlags) =>
        (await import("../commands/config.ts")).configCheck(flags),
      ),
    );
}
