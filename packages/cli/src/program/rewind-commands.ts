/** `yoi pod rewind` and `yoi pod fork`: flags and help. */
import { type Command, Option } from "commander";
import type { Act } from "./act.ts";

/** Of the group `yoi pod`. */
export function addRewindCommands(pod: Command, act: Act): void {
  withPlace(
    pod
      .command("rewind")
      .description("List the places a Pod's session can go back to, or take it back to one; nothing is lost")
      .argument("<name>"),
  )
    .option("--files", "put files back too that its tools changed since, where nobody else did")
    .option("--all", "list all of them, not only the newest 50")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Commands and children are not undone, and files only with --files; without it they are listed. What is left behind keeps its place: the same command goes forward to it again.
Examples:
  yoi pod rewind review
  yoi pod rewind review --before 57
  yoi pod rewind review --to 2-114
  yoi pod rewind review --before 57 --files`,
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-rewind.ts").RewindFlags) =>
        (await import("../commands/pod-rewind.ts")).podRewind(name, flags),
      ),
    );
  withPlace(
    pod
      .command("fork")
      .description(
        "Make another Pod that goes on from a place in this one's log, also while this one is live",
      )
      .argument("<name>")
      .argument("<new>", "the name of the new Pod"),
  )
    .option("--segment <id>", "as if the Pod were on this segment, of those that `yoi pod lineage` shows")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Without a place it goes on from the end, or, of a damaged log, from the last good entry.
Examples:
  yoi pod fork review review-2
  yoi pod fork review other-way --before 57`,
    )
    .action(
      act(async (name: string, other: string, flags: import("../commands/pod-fork.ts").ForkFlags) =>
        (await import("../commands/pod-fork.ts")).podFork(name, other, flags),
      ),
    );
}

function withPlace(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--to <id>",
        "the place right behind this entry, with what ends it: an answer, a turn",
      ).conflicts("before"),
    )
    .option("--before <id>", "the place right before this entry; of an input, before its run");
}
