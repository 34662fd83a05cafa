/** `yoi` without a command: flags and help. */
import { screenModes } from "@yoi/base";
import { type Command, Option } from "commander";
import {
  type Act,
  maxCostOption,
  maxTokensOption,
  permissionModeOption,
  positiveInteger,
  profileOption,
  readOnlyOption,
  sandboxOption,
  writeOption,
} from "./act.ts";

export function screenOption(): Option {
  const meaning =
    "main: what is finished goes into the scrollback; alternate: a screen of its own (default: as configured)";
  return new Option("--screen <screen>", meaning).choices(screenModes);
}

export function plainOption(): Option {
  return new Option("--plain", "as lines, for screen readers and scripts; so too where TERM is dumb");
}

/** The command that is meant where none is named. */
export const unnamed = "ui";

export function addUiCommand(program: Command, act: Act): void {
  program
    .command(unnamed, { isDefault: true })
    .description(
      "Open a Pod in the terminal, which is what `yoi` without a command does: the one of this directory that waits for you, lives or was used last, the list where there are several, or a new one",
    )
    .argument(
      "[prompt]",
      "for a new Pod; with -c, -r NAME or --pod for that one. @path attaches a file, an image or the names in a directory, /NAME at its beginning loads a skill",
    )
    .option("--pod <name>", "the Pod of that name; a new one where there is none")
    .addOption(
      new Option("-c, --continue", "the Pod that was last used in this directory").conflicts([
        "pod",
        "resume",
      ]),
    )
    .addOption(
      new Option(
        "-r, --resume [name]",
        "a Pod that there is; without a name: choose one from the list",
      ).conflicts("pod"),
    )
    .option("-m, --model <provider/id>", "of a new Pod: the model, for example anthropic/claude-sonnet-4-5")
    .option("--base-url <url>", "where the provider is; a local OpenAI-compatible server needs nothing else")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .option("--max-turns <n>", "end each run after this many model answers with tool calls", positiveInteger)
    .addOption(maxTokensOption())
    .addOption(maxCostOption())
    .addOption(profileOption())
    .addOption(permissionModeOption())
    .addOption(sandboxOption())
    .addOption(readOnlyOption())
    .addOption(writeOption())
    .addOption(screenOption())
    .addOption(plainOption())
    .addHelpText(
      "after",
      `
Leaving (Ctrl-D, or Ctrl-C twice) does not end the Pod: it goes on in a process of its own, and \`yoi\` opens it again. A Pod that was stopped is started again, its run as it was left: it goes on when you say so.
Examples:
  yoi
  yoi "explain this repository"
  yoi -c "and now the tests"
  yoi -r review
  yoi -C ~/site -m openai/gpt-5.2 --permission-mode ask
Exit codes: 0 left; 1 failed; 2 usage; 3 configuration; 4 credentials.`,
    )
    .action(
      act(async (prompt: string | undefined, flags: import("../commands/ui.ts").UiFlags) =>
        (await import("../commands/ui.ts")).ui(prompt, flags),
      ),
    );
}
