/** `yoi completion`: names and help. */
import { Argument, type Command } from "commander";
import type { Act } from "./act.ts";
import { type CompletionList, completionLists, type CompletionShell, completionShells } from "./choices.ts";

export function addCompletionCommand(program: Command, act: Act): void {
  program
    .command("completion")
    .description("Print the script that makes a shell complete command lines of yoi")
    .addArgument(new Argument("<shell>", "yours").choices(completionShells))
    .addHelpText(
      "after",
      `
Examples:
  eval "$(yoi completion bash)"  in ~/.bashrc; in ~/.zshrc: source <(yoi completion zsh)
  yoi completion fish > ~/yoi.fish && mkdir -p ~/.config/fish/completions && mv ~/yoi.fish ~/.config/fish/completions/`,
    )
    .action(
      act(async (shell: CompletionShell) =>
        (await import("../commands/completion.ts")).completion(shell, program),
      ),
    );
  program
    .command("__complete", { hidden: true })
    .addArgument(new Argument("<what>").choices(completionLists))
    .action(act(async (what: CompletionList) => (await import("../commands/completion.ts")).complete(what)));
}
