/** The command tree: what all commands share. Their names, flags and help are in `program/`; each action is loaded when it is called. */
import { escapeControls, nearest } from "@yoi/base";
import { Command, CommanderError } from "commander";
import type { Environment } from "./environment.ts";
import { exitCode } from "./exit-code.ts";
import { writeFailureJson } from "./failure.ts";
import type { Action, Handler } from "./program/act.ts";
import { addCompletionCommand } from "./program/completion-command.ts";
import { addConfigCommands } from "./program/config-commands.ts";
import { addFeatureCommands } from "./program/feature-commands.ts";
import { addAttachCommands } from "./program/live-commands.ts";
import { addMachineCommands } from "./program/machine-commands.ts";
import { addModelCommands } from "./program/model-commands.ts";
import { addPodCommands } from "./program/pod-commands.ts";
import { addProfileCommands } from "./program/profile-commands.ts";
import { addRunCommand } from "./program/run-command.ts";
import { addGrantCommands } from "./program/grant-commands.ts";
import { addSecretCommands } from "./program/secret-commands.ts";
import { addSkillCommands } from "./program/skill-commands.ts";
import { addTicketCommands } from "./program/ticket-commands.ts";
import { addUiCommand, unnamed } from "./program/ui-command.ts";
import { version } from "./version.ts";

/** Parses and runs one command line. Usage errors are said as one sentence on stderr and end with 2. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code: number = exitCode.done;
  let complaint = "";
  const program = buildProgram(
    (action) =>
      async (...args) => {
        code = await action(...args);
      },
    (sentence) => (complaint = sentence),
  );
  try {
    if (argv.length === 0) {
      const { stdin, stdoutIsTerminal } = await environment();
      if (stdin === "pipe") program.error(pipedAway);
      if (stdin !== "terminal" || !stdoutIsTerminal) {
        program.outputHelp();
        return exitCode.done;
      }
    }
    refuseUnknown(program, argv[0] ?? "");
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exitCode.done;
    if (complaint !== "") {
      writeFailureJson(argv, { code: "usage", message: complaint, exitCode: exitCode.usage });
      process.stderr.write(`yoi: ${complaint}\n`);
    }
    return exitCode.usage;
  }
}

const pipedAway =
  'error: without a command yoi opens a terminal, and nothing would read what is piped into it: `yoi run` takes that as its prompt, `yoi run "what to do"` puts it behind one.';

async function environment(): Promise<Environment> {
  return (await import("./environment.ts")).readEnvironment();
}

/** What could be a command's name is one, or a mistyped one; whatever else stands there is a prompt. */
function refuseUnknown(program: Command, word: string): void {
  const names = [...program.commands.map((command) => command.name()), "help"];
  if (!/^[a-z][a-z0-9-]*$/.test(word) || names.includes(word)) return;
  const near = nearest(word, names);
  const hint = near === null ? "." : `: did you mean ${near}?`;
  program.error(`error: unknown command '${word}'${hint} As a prompt it is \`yoi ${unnamed} ${word}\`.`, {
    code: "commander.unknownCommand",
  });
}

/** The parser's complaint as one sentence of ours. */
function usageSentence(complaint: string, command: string): string {
  const sentence = complaint
    .replace(/\.?\n\(Did you mean (.*)\?\)/, ": did you mean $1?")
    .replace(/^(unknown option '-\s.*')$/s, "$1: a text that begins with a dash stands behind `--`")
    .replaceAll("\n", " ");
  const end = /[.?]$/.test(sentence) ? "" : ".";
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}${end} See \`${command} --help\`.`;
}

type Wrap = (handler: (...args: unknown[]) => Action) => (...args: unknown[]) => Promise<void>;

/** @param complain takes the parser's complaint, as a sentence; other text of it (the help of a group) goes to stderr. */
function buildProgram(wrap: Wrap, complain: (sentence: string) => void): Command {
  const act = (handler: Handler) => wrap(handler as (...args: unknown[]) => Action);
  const program = new Command("yoi")
    .description(
      "Runs LLM agents that work for hours: every step durable, every write inside a scope, every prompt provable.",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .exitOverride();
  program.addHelpText(
    "after",
    `
Examples:
  yoi                                       open the Pod of this directory in the terminal, or begin one
  yoi demo                                  see what a Pod survives, without account or key
  yoi run "fix the failing test"            one input, run to its end, in this directory
  git diff | yoi run --pod review "review"  a prompt with what is piped behind it, a named Pod
  yoi run --pod review                      go on with a paused or interrupted run
  yoi pod verify review --wire              rebuild every prompt from the log and compare`,
  );

  addUiCommand(program, act);
  addRunCommand(program, act);
  addPodCommands(program, act);
  addAttachCommands(program, act);
  addConfigCommands(program, act);
  addProfileCommands(program, act);
  addSkillCommands(program, act);
  addModelCommands(program, act);
  addGrantCommands(program, act);
  addSecretCommands(program, act);
  addFeatureCommands(program, act);
  addTicketCommands(program, act);
  addMachineCommands(program, act);
  addCompletionCommand(program, act);
  complainBelow(program, "yoi", complain);
  return program;
}

/** Whatever is wrong with a command line is said with where that command's help is. */
function complainBelow(command: Command, path: string, complain: (sentence: string) => void): void {
  command.configureOutput({
    outputError: (text, write) => {
      const complaint = /^error: (.*)\n$/s.exec(text)?.[1];
      if (complaint === undefined) write(text);
      else complain(escapeControls(usageSentence(complaint, path)));
    },
  });
  for (const child of command.commands) complainBelow(child, `${path} ${child.name()}`, complain);
}
