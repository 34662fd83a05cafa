/** `yoi pod`: names, flags and help. */
import type { Command } from "commander";
import { type Act, type JsonFlag, positiveInteger } from "./act.ts";
import { addCompactCommand } from "./compact-command.ts";
import { addHostCommands } from "./host-commands.ts";
import { addLivePodCommands } from "./live-commands.ts";
import { addRewindCommands } from "./rewind-commands.ts";

export function addPodCommands(program: Command, act: Act): void {
  program
    .command("tree")
    .description("Show the Pods with their children: what each holds, has lent, does and used")
    .argument("[name]", "one Pod and what is below it (default: all)")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi tree\n  yoi tree review\n  yoi tree --json | jq '.total.total_cost_usd'",
    )
    .action(
      act(async (name: string | undefined, flags: JsonFlag) =>
        (await import("../commands/pod-tree.ts")).tree(name, flags),
      ),
    );
  program
    .command("usage")
    .description("Show what Pods used: requests, turns, time, tokens and cost, by Pod and by segment")
    .argument("[name]", "one Pod (default: all, with their children)")
    .option("--tree", "with the Pods below it, also those whose loan came back")
    .option("--verify", "hold the sum of all records against what the logs say was used; 1 where they differ")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi usage\n  yoi usage review --tree --verify\n  yoi usage --json | jq '.total.total_cost_usd'",
    )
    .action(
      act(async (name: string | undefined, flags: import("../commands/usage.ts").UsageFlags) =>
        (await import("../commands/usage.ts")).usage(name, flags),
      ),
    );
  const pod = program.command("pod").description("Host Pods, give them work, look at them and their logs");
  pod.addHelpText("after", "\nExamples:\n  yoi pod list\n  yoi pod show review");
  pod
    .command("list")
    .description("List the Pods")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod list --json | jq '.pods[].name'")
    .action(act(async (flags: JsonFlag) => (await import("../commands/pod-list.ts")).podList(flags)));
  pod
    .command("show")
    .description("Show one Pod: workspace, model, state, usage")
    .argument("<name>")
    .option("--cache", "each request instead: what the provider should have had in its cache, and had")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  yoi pod show review\n  yoi pod show review --cache")
    .action(
      act(async (name: string, flags: import("../commands/pod-show.ts").ShowFlags) =>
        (await import("../commands/pod-show.ts")).podShow(name, flags),
      ),
    );
  addHostCommands(pod, act);
  addLivePodCommands(pod, act);
  addCompactCommand(pod, act);
  addRewindCommands(pod, act);
  pod
    .command("log")
    .description("Print a Pod's log, as far as it is good; -f follows it")
    .argument("<name>")
    .option("-f, --follow", "go on with what comes, while a process hosts the Pod; Ctrl-C leaves")
    .option("--segment <id>", "another segment than the one that is written: its id, or its generation")
    .option("--all", "every segment that the Pod ever ran on, oldest first")
    .option("--json", "one entry a line, as stored")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod log review\n  yoi pod log review --json | jq 'select(.kind == \"tool_result\")'",
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-log.ts").LogFlags) =>
        (await import("../commands/pod-log.ts")).podLog(name, flags),
      ),
    );
  pod
    .command("lineage")
    .description("Show a Pod's segments: why each began, where it goes on from, what lies on the disk")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod lineage review\n  yoi pod lineage review --json | jq '.segments[].why'",
    )
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("../commands/pod-lineage.ts")).podLineage(name, flags),
      ),
    );
  pod
    .command("verify")
    .description("Rebuild every request ever sent from the log alone and compare digests")
    .argument("[name]", "a Pod of this machine")
    .option(
      "--wire [n]",
      "also the bytes that went over the wire, for the last n requests (default 500)",
      positiveInteger,
    )
    .option("--segment <id>", "one segment alone (default: all, and those of compactors)")
    .option("--head", "print the head (seq and sum) of each segment's log, to keep elsewhere")
    .option(
      "--bundle <file>",
      "a bundle that `yoi pod export` wrote, from whatever machine, instead of a Pod; - for standard input",
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod verify review\n  yoi pod verify review --wire\n  yoi pod verify review --head >> heads.txt\n  yoi pod export review -o /tmp/review.tar --force && yoi pod verify --bundle /tmp/review.tar --wire",
    )
    .action(
      act(async (name: string | undefined, flags: import("../commands/pod-verify.ts").VerifyFlags) =>
        (await import("../commands/pod-verify.ts")).podVerify(name, flags),
      ),
    );
  pod
    .command("diff")
    .description("Show what a Pod's tools changed since its session began, against the files as they are now")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod diff review\n  yoi pod diff review --json | jq -r '.files[].path'",
    )
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("../commands/pod-diff.ts")).podDiff(name, flags),
      ),
    );
  pod
    .command("export")
    .description("Write a Pod with its log into one file, also while it is held; it holds all that was said")
    .argument("<name>")
    .option("-o, --output <file>", "the file, - for standard output (default: NAME.tar here)")
    .option("--force", "replace the file if there is one")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod export review\n  yoi pod export review -o - | gzip > review.tar.gz && yoi pod verify --bundle review.tar.gz",
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-export.ts").ExportFlags) =>
        (await import("../commands/pod-export.ts")).podExport(name, flags),
      ),
    );
  pod
    .command("rm")
    .description("Remove a Pod with its log; refused while a process holds it")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod rm review")
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("../commands/pod-rm.ts")).podRm(name, flags),
      ),
    );
}
