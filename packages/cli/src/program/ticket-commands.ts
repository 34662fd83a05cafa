/** `yoi ticket`: names, flags and help. */
import { Argument, type Command, Option } from "commander";
import { type Act, positiveInteger } from "./act.ts";
import { ticketStatesAndAll } from "./choices.ts";
import { addTicketEntryCommands } from "./ticket-entry-commands.ts";

export function addTicketCommands(program: Command, act: Act): void {
  const ticket = program
    .command("ticket")
    .description("Keep project work as files: tickets that are planned, reviewed and closed on the record");
  ticket.addHelpText(
    "after",
    `
Examples:
  yoi ticket create --title "Bound the retries" --label retry
  yoi ticket list
Tickets are folders in .yoi/tickets of the workspace: that of -C, else of the nearest directory upward that has tickets or a git
repository, else of the current one. An id may be cut to a beginning or an end that no other ticket has, of 4 characters at least.
Exit codes: 0 done, 1 refused, unknown or damaged, 2 used wrongly, 6 called by a Pod: people write with these commands, Pods have tools.`,
  );
  written(ticket.command("create"))
    .description("Make a ticket, in planning; its text is a file's, or comes from a pipe")
    .requiredOption("--title <text>", "one line")
    .option("--file <file>", "its text, Markdown; - for standard input")
    .addOption(labelOption())
    .option("--priority <word>", "such as P1")
    .option("--assignee <name>", "who is to see to it")
    .addHelpText(
      "after",
      `
Examples:
  yoi ticket create --title "Bound the retries"
  echo "Give up after 5 tries." | yoi ticket create --title "Give up at last" --priority P1 --label retry --label network
  yoi ticket create --title "Say what is waited for" --json | jq -r .id`,
    )
    .action(
      act(async (flags: import("../commands/ticket-create.ts").CreateFlags) =>
        (await import("../commands/ticket-create.ts")).ticketCreate(flags),
      ),
    );
  shown(ticket.command("list"))
    .description("List tickets, the one that changed last first; without --state all that are not closed")
    .addOption(new Option("--state <states...>", "only those in these states").choices(ticketStatesAndAll))
    .option("--limit <n>", "at most so many", positiveInteger)
    .addHelpText(
      "after",
      "\nExamples:\n  yoi ticket list\n  yoi ticket list --state ready queued --limit 20\n  yoi ticket list --state all --json | jq -r '.tickets[].title'",
    )
    .action(
      act(async (flags: import("../commands/ticket-list.ts").ListFlags) =>
        (await import("../commands/ticket-list.ts")).ticketList(flags),
      ),
    );
  shown(ticket.command("show").argument("<id>"))
    .description("Show a ticket: its state, its text, and all that was said and done about it")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi ticket show 00001KT6Q08R9\n  yoi ticket show Q08R9 --json | jq -r '.events[].kind'",
    )
    .action(
      act(async (id: string, flags: import("../tickets/ticket-command.ts").ReadFlags) =>
        (await import("../commands/ticket-show.ts")).ticketShow(id, flags),
      ),
    );
  addTicketEntryCommands(ticket, act, written);
  addStateCommands(ticket, act);
  addLinkCommand(ticket, act);
  addUpkeepCommands(ticket, act);
}

/** What every command has. */
function shown(command: Command): Command {
  return command
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: upward from the current directory)");
}

/** What every command that writes has. */
function written(command: Command): Command {
  return shown(command).option("--author <name>", "who does it (default: your user name)");
}

function labelOption(): Option {
  return new Option("--label <word>", "once for each").argParser((word, words: readonly string[] = []) => [
    ...words,
    word,
  ]);
}

function addStateCommands(ticket: Command, act: Act): void {
  written(ticket.command("status").argument("<id>").addArgument(stateArgument()))
    .description("Say where a ticket is and where it may go from there; with a state, bring it there")
    .option("--reason <text>", "one line; needed to go back")
    .addHelpText(
      "after",
      `
Examples:
  yoi ticket status 00001KT6Q08R9
  yoi ticket status 00001KT6Q08R9 ready
  yoi ticket status 00001KT6Q08R9 planning --reason "the limit is not decided"
Only you bring a ticket from ready to queued: from there on Pods may begin with it.`,
    )
    .action(
      act(
        async (
          id: string,
          state: import("@yoi/tickets").TicketState | undefined,
          flags: import("../commands/ticket-state.ts").StatusFlags,
        ) => (await import("../commands/ticket-state.ts")).ticketStatus(id, state, flags),
      ),
    );
  written(ticket.command("close").argument("<id>"))
    .description("Close a ticket, with what came of it")
    .option("--resolution <text>", "what came of it, Markdown; - for standard input")
    .option("--file <file>", "the same from a file; - for standard input")
    .addHelpText("after", '\nExample:\n  yoi ticket close 00001KT6Q08R9 --resolution "Merged with 4f1c2d0."')
    .action(
      act(async (id: string, flags: import("../commands/ticket-state.ts").CloseFlags) =>
        (await import("../commands/ticket-state.ts")).ticketClose(id, flags),
      ),
    );
  written(ticket.command("reopen").argument("<id>"))
    .description("Open a closed ticket again, in planning; its resolution stays in its thread")
    .requiredOption("--reason <text>", "one line")
    .addHelpText("after", '\nExample:\n  yoi ticket reopen 00001KT6Q08R9 --reason "it came back with 2.1"')
    .action(
      act(async (id: string, flags: import("../commands/ticket-state.ts").ReopenFlags) =>
        (await import("../commands/ticket-state.ts")).ticketReopen(id, flags),
      ),
    );
}

function stateArgument(): Argument {
  const states = ticketStatesAndAll.filter((state) => state !== "all");
  return new Argument("[state]", "closed: see close").choices(states);
}

function addLinkCommand(ticket: Command, act: Act): void {
  written(ticket.command("link").argument("<id>"))
    .description("Say what a ticket is to another one, or take that back")
    .option("--blocks <ticket>", "the other is not queued before this one is done or closed")
    .option("--part-of <ticket>", "the other is not done before this one is done or closed")
    .option("--follows <ticket>", "it came out of the other; nothing waits for it")
    .option("--remove", "no longer")
    .addHelpText(
      "after",
      `
Examples:
  yoi ticket link 00001KT6Q08R9 --blocks 00001KT6Q08R8
  yoi ticket link 00001KT6Q08R9 --blocks 00001KT6Q08R8 --remove`,
    )
    .action(
      act(async (id: string, flags: import("../commands/ticket-link.ts").LinkFlags) =>
        (await import("../commands/ticket-link.ts")).ticketLink(id, flags),
      ),
    );
}

function addUpkeepCommands(ticket: Command, act: Act): void {
  shown(ticket.command("doctor"))
    .description("Check all tickets; --fix mends what can be mended without losing anything")
    .option("--fix", "mend")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi ticket doctor\n  yoi ticket doctor --fix\nExit codes: 0 no errors are left (warnings may be), 1 errors are.",
    )
    .action(
      act(async (flags: import("../commands/ticket-doctor.ts").DoctorFlags) =>
        (await import("../commands/ticket-doctor.ts")).ticketDoctor(flags),
      ),
    );
  written(ticket.command("import").argument("[directory]", "default: work-items of the workspace"))
    .description(
      "Copy tickets of the old layout (open, pending, closed) in; what came in before is left alone",
    )
    .addHelpText(
      "after",
      "\nExamples:\n  yoi ticket import\n  yoi ticket import work-items\nExit codes: 0 all is in, 1 something there is no ticket and did not come in.",
    )
    .action(
      act(async (directory: string | undefined, flags: import("../tickets/ticket-command.ts").WriteFlags) =>
        (await import("../commands/ticket-import.ts")).ticketImport(directory, flags),
      ),
    );
}
