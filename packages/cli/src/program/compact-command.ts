/** `yoi pod compact`: flags and help. */
import type { Command } from "commander";
import type { Act } from "./act.ts";

/** Of the group `yoi pod`. */
export function addCompactCommand(pod: Command, act: Act): void {
  pod
    .command("compact")
    .description("Make the history that a Pod's model reads smaller now; the whole of it stays in the log")
    .argument("<name>")
    .option(
      "--undo",
      "go on from the history before the last compaction instead; what came since stays in its log",
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
By itself a Pod compacts when a request fills too much of the model's window. Ctrl-C ends it, and nothing has changed.
Examples:
  yoi pod compact review
  yoi pod compact review --undo
  yoi pod compact review --json | jq .tokens_after
Exit codes: 0 done; 1 nothing could be gained, or there is nothing to undo.`,
    )
    .action(
      act(async (name: string, flags: import("../commands/pod-compact.ts").CompactFlags) =>
        (await import("../commands/pod-compact.ts")).podCompact(name, flags),
      ),
    );
}
