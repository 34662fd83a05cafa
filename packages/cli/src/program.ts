/** The command tree: names, flags, help. Each action is loaded when it is called. */
import { escapeControls } from "@yoi/base";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { exitCode } from "./exit-code.ts";
import { writeFailureJson } from "./failure.ts";
import { version } from "./version.ts";

/** What a command's action comes to: the exit code. */
type Action = Promise<number>;

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
      program.outputHelp();
      return exitCode.done;
    }
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

/** The parser's complaint as one sentence of ours. */
function usageSentence(complaint: string): string {
  const sentence = complaint
    .replace(/\.?\n\(Did you mean (.*)\?\)/, ": did you mean $1?")
    .replaceAll("\n", " ");
  const end = /[.?]$/.test(sentence) ? "" : ".";
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}${end} See \`yoi --help\`.`;
}

type Handler = (...args: never[]) => Action;
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
    .configureOutput({
      outputError: (text, write) => {
        const complaint = /^error: (.*)\n$/s.exec(text)?.[1];
        if (complaint === undefined) write(text);
        else complain(escapeControls(usageSentence(complaint)));
      },
    })
    .exitOverride();
  program.addHelpText(
    "after",
    `
Examples:
  yoi demo                                  see what a Pod survives, without account or key
  yoi run "fix the failing test"            one input, run to its end, in this directory
  git diff | yoi run --pod review "review"  a prompt with what is piped behind it, a named Pod
  yoi run --pod review                      go on with a paused or interrupted run
  yoi pod verify review --wire              rebuild every prompt from the log and compare`,
  );

  program
    .command("run")
    .description(
      "Run one input to its end in this process and print the answer. Without a prompt: go on with a paused or interrupted run of --pod.",
    )
    .argument(
      "[prompt]",
      "what to do; without it, or with -, standard input is read; a pipe or a file there stands behind it",
    )
    .option(
      "--pod <name>",
      "name of the Pod to create or continue (default: the directory's name and four characters)",
    )
    .option(
      "-m, --model <provider/id>",
      "the model, for example anthropic/claude-sonnet-4-5 or scripted/demo.yaml",
    )
    .option("--base-url <url>", "where the provider is, for proxies and local servers")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addOption(
      new Option("--output-format <format>", "what stdout gets").choices(["text", "json"]).default("text"),
    )
    .option("--max-turns <n>", "stop after this many model answers with tool calls", positiveInteger)
    .addOption(
      new Option("--permission-mode <mode>", "what happens to calls that no rule names").choices([
        "ask",
        "deny-unlisted",
        "allow-in-scope",
      ]),
    )
    .addOption(
      new Option(
        "--sandbox <state>",
        "off: shell commands run without a sandbox, with all your rights",
      ).choices(["on", "off"]),
    )
    .addHelpText(
      "after",
      `
Examples:
  yoi run "explain this repository"
  yoi run --pod nightly --max-turns 50 --output-format json "update the dependencies"
  yoi run -C ~/site -m scripted/scenario.yaml "go"
Exit codes: 0 done, 1 failed, 2 usage, 3 configuration, 4 credentials, 5 limit, 6 permission needed, 75 paused on a provider limit, 130 interrupted, 143 terminated.`,
    )
    .action(
      act(async (prompt: string | undefined, flags: import("./commands/run.ts").RunFlags) =>
        (await import("./commands/run.ts")).run(prompt, flags),
      ),
    );

  const pod = program.command("pod").description("Look at Pods and their logs");
  pod.addHelpText("after", "\nExamples:\n  yoi pod list\n  yoi pod show review");
  pod
    .command("list")
    .description("List the Pods")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod list --json | jq '.pods[].name'")
    .action(act(async (flags: JsonFlag) => (await import("./commands/pod-list.ts")).podList(flags)));
  pod
    .command("show")
    .description("Show one Pod: workspace, model, state, usage")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod show review")
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("./commands/pod-show.ts")).podShow(name, flags),
      ),
    );
  pod
    .command("log")
    .description("Print a Pod's log, as far as it is good")
    .argument("<name>")
    .option("--json", "one entry a line, as stored")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod log review\n  yoi pod log review --json | jq 'select(.kind == \"tool_result\")'",
    )
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("./commands/pod-log.ts")).podLog(name, flags),
      ),
    );
  pod
    .command("verify")
    .description("Rebuild every request ever sent from the log alone and compare digests")
    .argument("<name>")
    .option(
      "--wire [n]",
      "also the bytes that went over the wire, for the last n requests (default 500)",
      positiveInteger,
    )
    .option("--head", "print the log's head (seq and sum), to keep elsewhere")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod verify review\n  yoi pod verify review --wire\n  yoi pod verify review --head >> heads.txt",
    )
    .action(
      act(async (name: string, flags: import("./commands/pod-verify.ts").VerifyFlags) =>
        (await import("./commands/pod-verify.ts")).podVerify(name, flags),
      ),
    );
  pod
    .command("rm")
    .description("Remove a Pod with its log; refused while a process holds it")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod rm review")
    .action(
      act(async (name: string, flags: JsonFlag) => (await import("./commands/pod-rm.ts")).podRm(name, flags)),
    );

  const config = program.command("config").description("Look at the configuration");
  config.addHelpText("after", "\nExample:\n  yoi config show -C ~/site");
  config
    .command("show")
    .description("Print the configuration in force here, each value with where it comes from")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi config show")
    .action(
      act(async (flags: import("./commands/config.ts").ConfigFlags) =>
        (await import("./commands/config.ts")).configShow(flags),
      ),
    );
  config
    .command("check")
    .description("Check the configuration files: every fault with file and line, then exit 3")
    .option("--json", "as JSON")
    .option("-C, --cd <dir>", "the workspace (default: the current directory)")
    .addHelpText("after", "\nExample:\n  yoi config check && echo good")
    .action(
      act(async (flags: import("./commands/config.ts").ConfigFlags) =>
        (await import("./commands/config.ts")).configCheck(flags),
      ),
    );

  program
    .command("doctor")
    .description("Check what this machine offers: Node, sandbox, directories, credentials")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi doctor --json")
    .action(act(async (flags: JsonFlag) => (await import("./commands/doctor.ts")).doctor(flags)));
  program
    .command("demo")
    .description(
      "Kill a working Pod in the middle of a tool call, restore it, and prove that nothing was lost. No account, key or root needed.",
    )
    .option("--keep", "keep the demo's folder and say where it is")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi demo --keep")
    .action(
      act(async (flags: import("./commands/demo.ts").DemoFlags) =>
        (await import("./commands/demo.ts")).demo(flags),
      ),
    );
  return program;
}

export interface JsonFlag {
  readonly json?: boolean;
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}
