/** `yoi run`: flags and help. */
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
import { outputFormats } from "./choices.ts";

export function addRunCommand(program: Command, act: Act): void {
  program
    .command("run")
    .description(
      "Run one input to its end and print the answer, in this process or in the one that hosts the Pod. Without a prompt: go on with a paused or interrupted run of --pod, -c or -r.",
    )
    .argument(
      "[prompt]",
      "what to do, @path attaches a file, an image or the names in a directory, /NAME at its beginning loads a skill; without it, or with -, standard input is read; a pipe or a file there stands behind it",
    )
    .option(
      "--pod <name>",
      "name of the Pod to create or continue (default: the directory's name and four characters)",
    )
    .addOption(
      new Option("-c, --continue", "the Pod that was last used in this directory").conflicts([
        "pod",
        "resume",
      ]),
    )
    .addOption(
      new Option(
        "-r, --resume [name]",
        "a Pod that there is; without a name: choose one of this directory's. The next word is the name, the prompt comes behind it",
      ).conflicts("pod"),
    )
    .option(
      "-m, --model <provider/id>",
      "the model, for example anthropic/claude-sonnet-4-5 or scripted/demo.yaml",
    )
    .option("--base-url <url>", "where the provider is; a local OpenAI-compatible server needs nothing else")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addOption(
      new Option(
        "--output-format <format>",
        "what stdout gets: the answer, one JSON object at the end, or a line of JSON for each event",
      )
        .choices(outputFormats)
        .default("text"),
    )
    .option("--max-turns <n>", "stop after this many model answers with tool calls", positiveInteger)
    .addOption(maxTokensOption())
    .addOption(maxCostOption())
    .option(
      "--timeout <seconds>",
      "stop after this long, whatever is waited for, the start included; a run that began can be gone on with",
      positiveInteger,
    )
    .addOption(profileOption())
    .addOption(permissionModeOption())
    .addOption(sandboxOption())
    .addOption(readOnlyOption())
    .addOption(writeOption())
    .addHelpText(
      "after",
      `
Examples:
  yoi run "explain this repository"
  yoi run --pod nightly --max-turns 50 --timeout 3600 --output-format json "update the dependencies"
  yoi run -c "and now the tests"
  yoi run -r nightly "what is left to do?"
  yoi run --output-format stream-json "list the TODOs" | jq -r 'select(.type == "tool_call").name'
  yoi run -C ~/site -m scripted/scenario.yaml "go"
Exit codes: 0 done, 1 failed, 2 usage, 3 configuration, 4 credentials, 5 limit, 6 permission needed, 75 paused on a provider limit or without a network, 130 interrupted, 143 terminated.`,
    )
    .action(
      act(async (prompt: string | undefined, flags: import("../commands/run.ts").RunFlags) =>
        (await import("../commands/run.ts")).run(prompt, flags),
      ),
    );
}
