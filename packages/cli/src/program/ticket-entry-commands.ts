/** `yoi ticket comment`, `plan`, `decide`, `report` and `review`: names, flags and help. */
import { type Command, Option } from "commander";
import type { Act } from "./act.ts";

interface Verb {
  readonly verb: string;
  readonly kind: "comment" | "plan" | "decision" | "implementation_report";
  readonly description: string;
  readonly example: string;
}

const verbs: readonly Verb[] = [
  {
    verb: "comment",
    kind: "comment",
    description: "Say something about a ticket",
    example: 'yoi ticket comment 00001KT6Q08R9 "Seen in 2.0 as well."',
  },
  {
    verb: "plan",
    kind: "plan",
    description: "Write down how a ticket is to be done",
    example: 'printf "1. Count the tries.\\n2. Give up at 5.\\n" | yoi ticket plan 00001KT6Q08R9 -',
  },
  {
    verb: "decide",
    kind: "decision",
    description: "Write down what was decided about a ticket",
    example: 'yoi ticket decide 00001KT6Q08R9 "Five tries, as the provider asks for."',
  },
  {
    verb: "report",
    kind: "implementation_report",
    description: "Write down what was done for a ticket, and how it was tested",
    example: 'yoi ticket report 00001KT6Q08R9 "Done in 4f1c2d0; npm test passes." --author ada',
  },
];

/** @param written gives a command what every command that writes has. */
export function addTicketEntryCommands(
  ticket: Command,
  act: Act,
  written: (command: Command) => Command,
): void {
  for (const { verb, kind, description, example } of verbs)
    text(written(ticket.command(verb).argument("<id>")))
      .description(description)
      .addHelpText("after", `\nExample:\n  ${example}`)
      .action(
        act(
          async (
            id: string,
            body: string | undefined,
            flags: import("../commands/ticket-entry.ts").EntryFlags,
          ) => (await import("../commands/ticket-entry.ts")).ticketAdd(kind, id, body, flags),
        ),
      );
  text(written(ticket.command("review").argument("<id>")))
    .description("Review what was reported last")
    .addOption(new Option("--approve", "it may be done").conflicts("requestChanges"))
    .option("--request-changes", "it may not yet: the text says what is missing")
    .addHelpText(
      "after",
      `
Examples:
  yoi ticket review 00001KT6Q08R9 --request-changes "The sixth try is not tested."
  yoi ticket review 00001KT6Q08R9 --approve "Read and run."`,
    )
    .action(
      act(
        async (
          id: string,
          body: string | undefined,
          flags: import("../commands/ticket-entry.ts").ReviewFlags,
        ) => (await import("../commands/ticket-entry.ts")).ticketReview(id, body, flags),
      ),
    );
}

function text(command: Command): Command {
  return command
    .argument("[text]", "Markdown; - for standard input, which is read without text too")
    .option("--file <file>", "the text from a file; - for standard input");
}
