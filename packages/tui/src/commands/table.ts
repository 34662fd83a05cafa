/** The slash commands: what each is called, what it takes, and what it needs. Both `/` and `:` begin one. */
import type { MethodName } from "@yoi/protocol";

export interface CommandSpec {
  readonly name: string;
  /** What else it is called; shown in the help, not in the list of completions. */
  readonly aliases?: readonly string[];
  /** As the help shows it: `NAME`, `[NAME]`; absent: it takes nothing. Written without brackets it has to be there. */
  readonly argument?: string;
  /** What it does, as one sentence. */
  readonly help: string;
  /** nothing: it works without an open Pod. pod: one is open. Else the open Pod has to take this method now. */
  readonly needs: "nothing" | "pod" | Exclude<MethodName, "hello">;
  readonly group: CommandGroup;
}

export const commandGroups = ["conversation", "run", "pods", "approvals", "shows", "terminal"] as const;
export type CommandGroup = (typeof commandGroups)[number];

const specs = [
  {
    name: "compact",
    needs: "compact",
    group: "conversation",
    argument: "[undo]",
    help: "Make the history that the model reads smaller; undo goes back to what it was.",
  },
  {
    name: "rewind",
    needs: "rewind",
    group: "conversation",
    help: "Go back to an earlier input, with the files or without.",
  },
  { name: "undo", needs: "rewind", group: "conversation", help: "Go back to before the last input." },
  {
    name: "notify",
    aliases: ["btw", "note"],
    needs: "notify",
    group: "conversation",
    argument: "TEXT",
    help: "Tell the model something by the way, also while a run goes on; so does # before a line.",
  },
  {
    name: "queue",
    needs: "queue",
    group: "conversation",
    argument: "[TEXT]",
    help: "Send it when the run is over; without a text, show what waits.",
  },
  {
    name: "unqueue",
    needs: "unqueue",
    group: "conversation",
    argument: "[NUMBER]",
    help: "Take a queued input back into the composer: the last one, or that of the number.",
  },
  {
    name: "init",
    needs: "nothing",
    group: "conversation",
    help: "Ask for an AGENTS.md that tells agents about this project.",
  },
  {
    name: "review",
    needs: "nothing",
    group: "conversation",
    argument: "[WHAT]",
    help: "Ask for a review of the changes, or of what you name.",
  },
  {
    name: "skill",
    needs: "nothing",
    group: "conversation",
    argument: "NAME [TEXT]",
    help: "Send a prompt with that skill, as /NAME does where no command is called so.",
  },
  { name: "copy", needs: "pod", group: "conversation", help: "Copy the last answer to the clipboard." },
  { name: "transcript", needs: "pod", group: "conversation", help: "Show the whole conversation as pages." },
  {
    name: "export",
    needs: "pod",
    group: "conversation",
    help: "Write the Pod into a file that can be opened elsewhere.",
  },

  { name: "cancel", needs: "cancel", group: "run", help: "End the run." },
  { name: "pause", needs: "pause", group: "run", help: "Pause the run; /resume goes on with it." },
  {
    name: "resume",
    needs: "nothing",
    group: "run",
    argument: "[NAME]",
    help: "Go on with a paused or interrupted run, or with another Pod.",
  },

  {
    name: "pods",
    aliases: ["ls"],
    needs: "nothing",
    group: "pods",
    help: "All Pods: open, message, pause, stop and restore them.",
  },
  {
    name: "tree",
    aliases: ["agents", "children"],
    needs: "nothing",
    group: "pods",
    help: "Pods below one another, with what each may do and what it lends.",
  },
  {
    name: "open",
    aliases: ["attach", "switch"],
    needs: "nothing",
    group: "pods",
    argument: "NAME",
    help: "Open another Pod; this one goes on.",
  },
  {
    name: "new",
    aliases: ["clear", "start"],
    needs: "nothing",
    group: "pods",
    argument: "[NAME]",
    help: "Begin anew in a new Pod; this one stays as it is.",
  },
  {
    name: "send",
    needs: "nothing",
    group: "pods",
    argument: "NAME TEXT",
    help: "Send a prompt to a Pod without opening it.",
  },
  { name: "fork", needs: "pod", group: "pods", help: "Open a new Pod that knows what this one knows." },
  {
    name: "title",
    aliases: ["rename"],
    needs: "set_title",
    group: "pods",
    argument: "[TEXT]",
    help: "Show a title beside the Pod's name, or no more.",
  },
  {
    name: "stop",
    needs: "nothing",
    group: "pods",
    argument: "[NAME]",
    help: "Stop the process of a Pod: this one, or that of the name. It can be restored.",
  },
  {
    name: "restore",
    needs: "nothing",
    group: "pods",
    argument: "[NAME]",
    help: "Start a stopped Pod again: this one, or that of the name.",
  },

  {
    name: "approve",
    aliases: ["allow"],
    needs: "answer_approval",
    group: "approvals",
    argument: "[ID]",
    help: "Allow the call that waits, once.",
  },
  {
    name: "deny",
    needs: "answer_approval",
    group: "approvals",
    argument: "[ID] REASON",
    help: "Refuse the call that waits; the model is told the reason.",
  },
  {
    name: "permissions",
    aliases: ["mode"],
    needs: "nothing",
    group: "approvals",
    argument: "[MODE]",
    help: "Choose how much is asked about, or name the mode; see the rules in force.",
  },
  {
    name: "sandbox",
    needs: "pod",
    group: "approvals",
    argument: "on|off",
    help: "Start the Pod again with the sandbox or without it.",
  },
  { name: "grants", needs: "nothing", group: "approvals", help: "Rules that you gave for always." },
  { name: "revoke", needs: "nothing", group: "approvals", argument: "ID", help: "Take back such a rule." },

  {
    name: "status",
    needs: "pod",
    group: "shows",
    help: "What this Pod is and does: model, scope, sandbox, run, queue.",
  },
  { name: "context", needs: "pod", group: "shows", help: "What fills the model's context." },
  {
    name: "usage",
    aliases: ["cost", "stats"],
    needs: "pod",
    group: "shows",
    help: "Tokens and cost of this Pod and those below it.",
  },
  { name: "diff", needs: "pod", group: "shows", help: "What was changed in the workspace." },
  {
    name: "tasks",
    aliases: ["todos"],
    needs: "pod",
    group: "shows",
    help: "Show or hide the panels of features, such as tasks.",
  },
  { name: "hooks", needs: "nothing", group: "shows", help: "The features and what each hooks into." },
  {
    name: "model",
    aliases: ["models"],
    needs: "nothing",
    group: "shows",
    argument: "[PROVIDER/ID]",
    help: "Show the models, or go on with another one.",
  },
  {
    name: "config",
    aliases: ["settings"],
    needs: "nothing",
    group: "shows",
    help: "The configuration, and which file says what.",
  },
  { name: "doctor", needs: "nothing", group: "shows", help: "Check what yoi needs on this machine." },
  {
    name: "setup",
    aliases: ["login", "key"],
    needs: "nothing",
    group: "shows",
    help: "Choose a provider, keep its key, and try a model.",
  },
  { name: "mcp", needs: "nothing", group: "shows", help: "Say how tools of others are added." },
  { name: "plugins", needs: "nothing", group: "shows", help: "Say how features of others are added." },
  {
    name: "skills",
    needs: "nothing",
    group: "shows",
    help: "The skills: what each is for, where it is, and what is wrong with one.",
  },
  {
    name: "tickets",
    needs: "nothing",
    group: "shows",
    help: "The tickets of this project that are not closed.",
  },
  { name: "memory", needs: "nothing", group: "shows", help: "Say what the model is told at the start." },

  { name: "help", needs: "nothing", group: "terminal", help: "Show the keys and commands." },
  { name: "keys", needs: "nothing", group: "terminal", help: "Show the keys as they are bound now." },
  {
    name: "theme",
    needs: "nothing",
    group: "terminal",
    argument: "[auto|dark|light|none]",
    help: "Colours for a dark or a light background, or none.",
  },
  {
    name: "screen",
    needs: "nothing",
    group: "terminal",
    argument: "[main|alternate]",
    help: "Draw into the terminal's scrollback, or on a screen of its own.",
  },
  {
    name: "quit",
    aliases: ["exit", "detach", "bg", "q"],
    needs: "nothing",
    group: "terminal",
    help: "Leave the terminal; the Pod goes on.",
  },
] as const satisfies readonly CommandSpec[];

export type CommandName = (typeof specs)[number]["name"];

export const commandSpecs: readonly (CommandSpec & { readonly name: CommandName })[] = specs;

/** By its name or an alias, in any case; null: there is none. */
export function commandNamed(word: string): (CommandSpec & { readonly name: CommandName }) | null {
  const name = word.toLowerCase();
  return commandSpecs.find((spec) => spec.name === name || spec.aliases?.includes(name) === true) ?? null;
}

/** All that can be typed behind the sign. */
export const commandWords: readonly string[] = commandSpecs.flatMap(({ name, aliases = [] }) => [
  name,
  ...aliases,
]);
