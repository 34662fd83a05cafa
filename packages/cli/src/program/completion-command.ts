/** `yoi completion`: names and help. */
import { Argument, type Command } from "commander";
import type { Act } from "./act.ts";

export function addCompletionCommand(program: Command, act: Act): void {
  program
    .command("completion")
    .description("Print the script that makes a shell complete command lines of yoi")
    .addArgument(new Argument("<shell>", "yours").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `
Examples:
  source <(yoi completion bash)  in ~/.bashrc, or with zsh in ~/.zshrc
  yoi completion fish > ~/yoi.fish && mkdir -p ~/.config/fish/completions && mv ~/yoi.fish ~/.config/fish/completions/`,
    )
    .action(
      act(async (shell: import("../commands/completion.ts").CompletionShell) =>
        (await import("../commands/completion.ts")).completion(shell, program),
      ),
    );
  program
    .command("__complete", { hidden: true })
    .addArgument(new Argument("<what>").choices(["pods", "models"]))
    .action(
      act(async (what: "pods" | "models") => (await import("../commands/completion.ts")).complete(what)),
    );
}
