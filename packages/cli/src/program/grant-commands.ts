/** `yoi grant`: names, flags and help. */
import type { Command } from "commander";
import type { Act, JsonFlag } from "./act.ts";

export function addGrantCommands(program: Command, act: Act): void {
  const grant = program.command("grant").description("List what you allowed for always, and take it back");
  grant.addHelpText("after", "\nExample:\n  yoi grant list");
  grant
    .command("list")
    .description("List what you allowed for always (`yoi approve --for always`), and for which calls")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi grant list --json | jq -r '.grants[] | [.id, .rule] | @tsv'")
    .action(act(async (flags: JsonFlag) => (await import("../commands/grant.ts")).grantList(flags)));
  grant
    .command("revoke")
    .description("Take a grant back: from the next call on it lets nothing through, in Pods that run too")
    .argument("<id>", "as `yoi grant list` shows it")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi grant revoke 019aa5c4-7d40-7c1e-9d3b-2f1f0a6b8c11")
    .action(
      act(async (id: string, flags: JsonFlag) =>
        (await import("../commands/grant.ts")).grantRevoke(id, flags),
      ),
    );
}
