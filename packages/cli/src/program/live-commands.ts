/** `yoi attach` and `yoi approve`, and what `yoi pod` asks of a live Pod: flags and help. */
import { type Command, Option } from "commander";
import { type Act, type JsonFlag, wholeNumber } from "./act.ts";
import { plainOption, screenOption } from "./ui-command.ts";

export function addAttachCommands(program: Command, act: Act): void {
  program
    .command("attach")
    .description("Open a hosted Pod in the terminal, or follow it as lines; leaving does not end it")
    .argument("<name>")
    .option("--restore", "host it again first, as it was kept, where no process does")
    .addOption(screenOption())
    .addOption(plainOption())
    .option("--tail <n>", "as lines: how much of what was before is shown (default: 20)", wholeNumber)
    .addOption(
      new Option("--all", "as lines: all of what was before, from the start of the log").conflicts("tail"),
    )
    .option("--once", "as lines: end when the connection is lost, instead of waiting for the Pod")
    .option("--json", "one event a line, as the Pod sends them; nothing is read from the terminal")
    .addHelpText(
      "after",
      `
In the terminal \`?\` shows the keys and /help the commands. As lines (with --plain, --tail, --all or --once, where TERM is dumb, and where input or output is no terminal) a line that is typed on a terminal is a prompt, one that begins with ! a command for the Pod's shell, and one that begins with / one of /cancel, /pause, /resume, /approve [ID] [session|always [N]], /deny [ID] REASON, /notify TEXT, /later TEXT, /title [TEXT], /detach, /help; lines that are pasted together are one prompt. Ctrl-C and Ctrl-D leave.
Examples:
  yoi attach review
  yoi attach review --plain --tail 100
  yoi attach review --all --json | jq --unbuffered -r 'select(.event == "entry").entry.kind'
Exit codes: 0 left, or the Pod was shut down; 1 the connection was lost (--once) or the Pod was removed; 143 SIGTERM or SIGHUP; 255 the Pod cannot be attached to.`,
    )
    .action(
      act(async (name: string, flags: import("../commands/attach.ts").AttachFlags) =>
        (await import("../commands/attach.ts")).attach(name, flags),
      ),
    );
  program
    .command("approve")
    .description("List the calls that wait for you, and allow one of them, once or for longer, or deny it")
    .argument("[name]", "the Pod")
    .argument("[id]", "the call: at least the first 8 characters of what stands behind `?`")
    .option("--deny", "refuse it")
    .option("--reason <text>", "of a denial: the model is told")
    .addOption(
      new Option("--for <how long>", "how long it counts, by one of the rules that are offered")
        .choices(["once", "session", "always"])
        .conflicts("deny"),
    )
    .option(
      "--rule <rule>",
      "of what is kept: the rule as it is shown, or its number; without it the first, the narrowest",
    )
    .option("--expires <time>", "of what is kept: how long, as 90m, 12h or 7d")
    .option("--everywhere", "of --for always: in every workspace")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  yoi approve
  yoi approve review
  yoi approve --json | jq '.pending[] | {digest, offers}'
  yoi approve review 0123456789ab --for session --rule 2
  yoi approve review 0123456789ab --for always --expires 7d
\`yoi approve review 0123456789ab\` alone allows the call that is shown under that ID, once and as it is shown; what is kept for always \`yoi grant list\` shows and \`yoi grant revoke\` takes back; with \`--deny --reason "use the test database"\` behind it, it is refused.`,
    )
    .action(
      act(
        async (
          name: string | undefined,
          id: string | undefined,
          flags: import("../commands/approve.ts").ApproveFlags,
        ) => (await import("../commands/approve.ts")).approve(name, id, flags),
      ),
    );
}

/** Of the group `yoi pod`. */
export function addLivePodCommands(pod: Command, act: Act): void {
  pod
    .command("send")
    .description("Give a hosted Pod a prompt; done when it is on record")
    .argument("<name>")
    .argument(
      "[prompt]",
      "what to do, @path attaches a file, an image or the names in a directory, /NAME at its beginning loads a skill; without it, or with -, standard input is read; a pipe or a file there stands behind it",
    )
    .addOption(
      new Option("--wait", "wait for the end of the run and print the answer, as `yoi run` does").conflicts(
        "notify",
      ),
    )
    .option("--notify", "tell the model as a notification, also while a run goes on")
    .addOption(
      new Option(
        "--queue <when>",
        "a prompt for later: with the next request of the run that goes on, or behind that run; while nothing runs it begins one",
      )
        .choices(["boundary", "run_end"])
        .conflicts(["wait", "notify"]),
    )
    .addOption(
      new Option("--submission <id>", "its name: the same one again is not another prompt").conflicts("wait"),
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Examples:
  yoi pod send review "look at the last commit" --wait
  yoi pod send review --queue boundary "and the tests, please"
  yoi pod send review --queue run_end "then write the notes"
  yoi pod send review --notify "the build is green"
  git log -1 | yoi pod send review --notify --submission mail-17 "this came in:"
Exit codes: 0 it is on record; with --wait those of \`yoi run\`.`,
    )
    .action(
      act(
        async (
          name: string,
          prompt: string | undefined,
          flags: import("../commands/pod-send.ts").SendFlags,
        ) => (await import("../commands/pod-send.ts")).podSend(name, prompt, flags),
      ),
    );
  pod
    .command("unqueue")
    .description("Take back an input that waits for a hosted Pod, and print it")
    .argument("<name>")
    .argument("[id]", "as `yoi pod send --queue` and `yoi pod show` say it; without it, the last one")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  yoi pod unqueue review\n  yoi pod unqueue review 57")
    .action(
      act(async (name: string, id: string | undefined, flags: JsonFlag) =>
        (await import("../commands/pod-unqueue.ts")).podUnqueue(name, id ?? null, flags),
      ),
    );
  const controls = {
    cancel:
      "End the run of a hosted Pod that goes on, or waits for its provider or the network; another paused one is given up by the next prompt",
    pause: "Pause the run of a hosted Pod, to go on with it later",
    resume: "Go on with the last run of a hosted Pod, however it was stopped",
  } as const;
  for (const verb of ["cancel", "pause", "resume"] as const) {
    pod
      .command(verb)
      .description(controls[verb])
      .argument("<name>")
      .option("--json", "as JSON")
      .addHelpText("after", `\nExample:\n  yoi pod ${verb} review`)
      .action(
        act(async (name: string, flags: JsonFlag) => {
          const { podCancel, podPause, podResume } = await import("../commands/pod-control.ts");
          return { cancel: podCancel, pause: podPause, resume: podResume }[verb](name, flags);
        }),
      );
  }
  pod
    .command("stop")
    .description("End the process that hosts a Pod, in order; a run that goes on can be resumed")
    .argument("<name>")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExample:\n  yoi pod stop review")
    .action(
      act(async (name: string, flags: JsonFlag) =>
        (await import("../commands/pod-stop.ts")).podStop(name, flags),
      ),
    );
  pod
    .command("title")
    .description("Show what you call a Pod, or call it something else; its name never changes")
    .argument("<name>")
    .argument("[title]", "one line, at most 120 characters")
    .option("--clear", "it has no title any more")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  yoi pod title review 'The login bug'\n  yoi pod title review --clear",
    )
    .action(
      act(
        async (
          name: string,
          title: string | undefined,
          flags: import("../commands/pod-title.ts").TitleFlags,
        ) => (await import("../commands/pod-title.ts")).podTitle(name, title ?? null, flags),
      ),
    );
  pod
    .command("peer")
    .description("Let two Pods see and notify each other, or no longer; it gives neither any rights")
    .argument("<name>")
    .argument("<other>")
    .option("--remove", "they are peers no longer")
    .option("--json", "as JSON")
    .addHelpText("after", "\nExamples:\n  yoi pod peer review site\n  yoi pod peer review site --remove")
    .action(
      act(async (name: string, other: string, flags: import("../commands/pod-peer.ts").PeerFlags) =>
        (await import("../commands/pod-peer.ts")).podPeer(name, other, flags),
      ),
    );
}
