/** `yoi doctor` and `yoi demo`: flags and help. */
import type { Command } from "commander";
import type { Act, JsonFlag } from "./act.ts";

export function addMachineCommands(program: Command, act: Act): void {
  program
    .command("doctor")
    .description("Check what this machine offers: Node, sandbox, directories, credentials")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi doctor --json")
    .action(act(async (flags: JsonFlag) => (await import("../commands/doctor.ts")).doctor(flags)));
  const demo = program
    .command("demo")
    .description(
      "Kill a working Pod in the middle of a tool call, restore it, and prove that nothing was lost. No account, key or root needed.",
    )
    .option("--keep", "keep the demo's folder and say where it is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi demo --keep")
    .action(
      act(async (flags: import("../demo/show.ts").DemoFlags) =>
        (await import("../commands/demo.ts")).demo(flags),
      ),
    );
  demo
    .command("loans")
    .description(
      "A Pod lends two directories to two children; one of them and the Pod itself are killed; prove who could write what",
    )
    .option("--keep", "keep the demo's folder and say where it is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi demo loans --keep")
    .action(
      // What stands before `loans` is taken by the command above.
      act(async (_: object, command: Command) =>
        (await import("../commands/demo-loans.ts")).demoLoans(command.optsWithGlobals()),
      ),
    );
  demo
    .command("tickets")
    .description(
      "A Pod has a ticket done by a coder and a reviewer and is killed on the way; prove that a person decides what begins and what is merged",
    )
    .option("--keep", "keep the demo's folder and say where it is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi demo tickets --keep")
    .action(
      act(async (_: object, command: Command) =>
        (await import("../commands/demo-tickets.ts")).demoTickets(command.optsWithGlobals()),
      ),
    );
}
