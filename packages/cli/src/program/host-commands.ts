/** `yoi pod start` and `yoi pod restore`: flags and help. */
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

/** Of the group `yoi pod`. */
export function addHostCommands(pod: Command, act: Act): void {
  const exits = `
It ends in order on \`yoi pod stop\` (exit code 0), SIGINT (130) and SIGTERM (143): a run that goes on can be resumed. A second signal ends it at once.`;
  hosting(pod.command("start"))
    .description("Host a Pod, new or kept, in a process of its own: clients attach to it")
    .argument("<name>")
    .option("-m, --model <provider/id>", "the model, for example anthropic/claude-sonnet-4-5")
    .option("--base-url <url>", "where the provider is; a local OpenAI-compatible server needs nothing else")
    .option("-C, --cd <dir>", "the workspace (default: the Pod's, or the current directory for a new one)")
    .addOption(profileOption())
    .addOption(permissionModeOption())
    .addOption(sandboxOption())
    .option("--max-turns <n>", "end each run after this many model answers with tool calls", positiveInteger)
    .addOption(maxTokensOption())
    .addOption(maxCostOption())
    .addHelpText(
      "after",
      `
Examples:
  yoi pod start review
  yoi pod start site -C ~/site -m scripted/scenario.yaml && yoi pod stop site
${exits}`,
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-start.ts").StartFlags) =>
        (await import("../commands/pod-start.ts")).podStart(name, flags),
      ),
    );
  hosting(pod.command("restore"))
    .description("Host a Pod that there is again, as it was kept, after whatever ended its process")
    .argument("<name>")
    .addOption(sandboxOption())
    .option("--resume", "go on with its run, where it was paused or cut off")
    .addHelpText(
      "after",
      `
Examples:
  yoi pod stop review && yoi pod restore review --resume
${exits}`,
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-start.ts").RestoreFlags) =>
        (await import("../commands/pod-start.ts")).podRestore(name, flags),
      ),
    );
}

function hosting(command: Command): Command {
  return command
    .option(
      "--foreground",
      "host it in this process, as for a supervisor: a ready line on stdout, events on stderr",
    )
    .option(
      "--take-over",
      "end the process that holds the Pod: asked, which ends its children too, told by SIGTERM, and after 5 s killed",
    )
    .addOption(readOnlyOption())
    .addOption(writeOption())
    .option("--json", "say that it is ready as JSON")
    .addOption(new Option("--output-file <file>").hideHelp());
}
