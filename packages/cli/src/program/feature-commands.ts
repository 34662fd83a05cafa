/** `yoi feature`: names, flags and help. */
import type { Command } from "commander";
import type { Act } from "./act.ts";

type Flags = import("../commands/feature-list.ts").FeatureFlags;

export function addFeatureCommands(program: Command, act: Act): void {
  const feature = program
    .command("feature")
    .description("Look at features, and decide about those of third parties");
  feature.addHelpText("after", "\nExample:\n  yoi feature list");
  feature
    .command("list")
    .description(
      "List features: yoi's own with what their installation says, and those of third parties that are found",
    )
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText(
      "after",
      `
Examples:
  yoi feature list
  yoi feature list --json | jq -r '.features[] | select(.source == "builtin") | .id'
Those of third parties are looked for in .yoi/features, in features of your config directory, and in node_modules. They are
read and never loaded: this version runs none of them.`,
    )
    .action(act(async (flags: Flags) => (await import("../commands/feature-list.ts")).featureList(flags)));
  feature
    .command("show")
    .description(
      "Show one feature: what it contributes and asks for; of a third party's the files, and what changed",
    )
    .argument("<id>", "as `yoi feature list` has it")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi feature show builtin:task")
    .action(
      act(async (id: string, flags: Flags) =>
        (await import("../commands/feature-show.ts")).featureShow(id, flags),
      ),
    );
  feature
    .command("approve")
    .description("Approve a third party's feature as it is now: shows it, and asks")
    .argument("<id>", "as `yoi feature list` has it")
    .option("--digest <sha256>", "the whole digest of what you looked at, in the place of the question")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText(
      "after",
      `
Example:
  yoi feature approve project:lint --digest 32ec802f9c3f872119dd683dd10073c8e4b31c11a6f9342bd0c10862f9981823
At a terminal, yoi feature approve project:lint shows it and asks. This version keeps the decision and runs nothing.
An approval that is damaged or of a later yoi counts as none, is said, and is replaced.
Exit codes: 0 approved, 1 the approvals are not yours alone or cannot be written, 2 the digest is another one or there is
nobody to ask, 3 no such feature, or one that cannot be approved, 130 you said no.`,
    )
    .action(
      act(async (id: string, flags: import("../commands/feature-approval.ts").ApproveFlags) =>
        (await import("../commands/feature-approval.ts")).featureApprove(id, flags),
      ),
    );
  feature
    .command("revoke")
    .description("Take an approval back, also when the feature is gone")
    .argument("<id>")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi feature revoke project:lint")
    .action(
      act(async (id: string, flags: Flags) =>
        (await import("../commands/feature-approval.ts")).featureRevoke(id, flags),
      ),
    );
}
