/** `yoi model`: names, flags and help. */
import type { Command } from "commander";
import type { Act } from "./act.ts";

export function addModelCommands(program: Command, act: Act): void {
  const model = program.command("model").description("Look at providers and their models");
  model.addHelpText("after", "\nExample:\n  yoi model list --provider openai");
  model
    .command("list")
    .description("List the providers, whether there is a key for each, and the models that are known")
    .option("--provider <name>", "only this one")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText(
      "after",
      `
Examples:
  yoi model list
  yoi model list --provider anthropic
  yoi model list --json | jq -r '.models[] | select(.images) | .ref'
A model that is not listed works too: name it with -m, and its limits and prices below [[models]] in your config.toml.`,
    )
    .action(
      act(async (flags: import("../commands/model-list.ts").ModelListFlags) =>
        (await import("../commands/model-list.ts")).modelList(flags),
      ),
    );
}
