/** `yoi secret`: names, flags and help. */
import type { Command } from "commander";
import type { Act, JsonFlag } from "./act.ts";

export function addSecretCommands(program: Command, act: Act): void {
  const secret = program.command("secret").description("Keep keys of providers and of web search");
  secret.addHelpText("after", "\nExample:\n  yoi secret list");
  secret
    .command("set")
    .description("Keep a secret: its value is typed without an echo, or comes from a pipe; never from here")
    .argument("<id>", "providers/<name>/default, or web/<provider>/default")
    .option("--json", "as JSON")
    // Whoever puts the value here is told so, and not by repeating it, as the parser would.
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      "after",
      `
Example:
  pass show anthropic | yoi secret set providers/anthropic/default
At a terminal, yoi secret set providers/anthropic/default asks for it.
Exit codes: 0 kept, 1 it could not be kept, 2 not an id or not a value, 4 what is kept is damaged, 130 interrupted.`,
    )
    .action(
      act(async (id: string, flags: JsonFlag, { args }: Command) =>
        (await import("../commands/secret.ts")).secretSet(id, { ...flags, extra: args.length > 1 }),
      ),
    );
  secret
    .command("list")
    .description("List the ids of the secrets, never their values")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi secret list --json | jq -r '.secrets[].id'")
    .action(act(async (flags: JsonFlag) => (await import("../commands/secret.ts")).secretList(flags)));
  secret
    .command("rm")
    .description("Remove a secret")
    .argument("<id>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi secret rm providers/anthropic/default")
    .action(
      act(async (id: string, flags: JsonFlag) => (await import("../commands/secret.ts")).secretRm(id, flags)),
    );
}
