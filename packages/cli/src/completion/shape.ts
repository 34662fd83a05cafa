/** The command tree as completion sees it: read from the parser's own tree, so that the two cannot differ. */
import type { Argument, Command, Option } from "commander";
import type { CompletionList } from "../program/choices.ts";
import { unnamed } from "../program/ui-command.ts";

/**
 * What can stand in a place. A list is asked of yoi at that moment; `number`: one may stand there, and nothing need; `other`: nothing can be offered.
 */
export type Values =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: CompletionList | "directory" | "file" | "number" | "other" };

export interface Flag {
  /** As they are typed: `-m`, `--model`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null: it takes none. */
  readonly value: Values | null;
}

export interface CommandShape {
  /** Words behind `yoi`: "", "pod", "pod list". */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** Of its first argument; null: it has none. */
  readonly argument: Values | null;
}

/** Every command that help shows, parents before children. */
export function shapesOf(program: Command): readonly CommandShape[] {
  return shapesBelow(program, { path: [], siblings: [] });
}

interface Place {
  readonly path: readonly string[];
  /** Names of the commands beside it, itself included. */
  readonly siblings: readonly string[];
}

function shapesBelow(command: Command, place: Place): readonly CommandShape[] {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const siblings = children.map((child) => child.name());
  const shape: CommandShape = {
    path: place.path.join(" "),
    commands: children.map((child) => ({
      name: child.name(),
      description: help.subcommandDescription(child),
    })),
    flags: [command, ...withoutName(command)].flatMap(flagsOf),
    argument: valuesOfArgument(command, place),
  };
  const below = children.map((child) =>
    shapesBelow(child, { path: [...place.path, child.name()], siblings }),
  );
  return [shape, ...below.flat()];
}

/** Whose flags stand behind the program's own name: the command that is meant where none is named. */
function withoutName(command: Command): readonly Command[] {
  return command.parent === null ? command.commands.filter((child) => child.name() === unnamed) : [];
}

/** Help is each command's own, and named once. */
function flagsOf(command: Command, at: number): readonly Flag[] {
  const all = command.createHelp().visibleOptions(command);
  return all
    .filter(({ long }) => at === 0 || long !== "--help")
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: option.description,
      value: valuesOfOption(option),
    }));
}

function valuesOfOption(option: Option): Values | null {
  if (!option.required && !option.optional) return null;
  if (option.argChoices !== undefined) return { kind: "choices", choices: option.argChoices };
  switch (/[<[](.*?)[\]>]/.exec(option.flags)?.[1]) {
    case "name":
      if (option.long === "--provider") return { kind: "providers" };
      return { kind: option.long === "--pod" || option.long === "--resume" ? "pods" : "other" };
    case "n":
      return { kind: option.optional ? "number" : "other" };
    case "provider/id":
      return { kind: "models" };
    case "profile":
      return { kind: "profiles" };
    case "ticket":
      return { kind: "tickets" };
    case "dir":
      return { kind: "directory" };
    case "file":
      return { kind: "file" };
    default:
      return { kind: "other" };
  }
}

/** Commands whose `name` is a Pod's. */
const podCommands: ReadonlySet<string> = new Set(["pod", "attach", "approve"]);

function valuesOfArgument(command: Command, { path, siblings }: Place): Values | null {
  const [first] = command.registeredArguments as readonly Argument[];
  if (first === undefined) return null;
  if (first.argChoices !== undefined) return { kind: "choices", choices: first.argChoices };
  if (first.name() === "name" && podCommands.has(path[0] ?? "")) return { kind: "pods" };
  if (path[0] === "secret" && first.name() === "id") return { kind: "secrets" };
  if (path[0] === "grant" && first.name() === "id") return { kind: "grants" };
  if (path[0] === "feature" && first.name() === "id") return { kind: "features" };
  if (path[0] === "ticket" && first.name() === "id") return { kind: "tickets" };
  if (first.name() === "directory") return { kind: "directory" };
  if (path.at(-1) === "help") return { kind: "choices", choices: siblings.filter((name) => name !== "help") };
  return { kind: "other" };
}
