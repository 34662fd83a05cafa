/** What a tool call is about: the arguments that permission rules are matched against, and what kind of thing each is. */
import type { JsonObject } from "@yoi/base";

/**
 * `path`: the text names a file, and rules are matched against where it really lies. `url`: against the one way to write what it leads to.
 * `command`: a script for a shell, judged command by command.
 */
export interface CallTarget {
  readonly kind: "command" | "path" | "text" | "url";
  readonly text: string;
}

interface TargetArgument {
  readonly argument: string;
  readonly kind: CallTarget["kind"];
  /** What the tool takes when the argument is left out. */
  readonly otherwise?: string;
}

/** Paths are relative to the workspace, so this is the workspace. */
const workspace = ".";

const targetArguments: ReadonlyMap<string, TargetArgument> = new Map<string, TargetArgument>([
  ["Bash", { argument: "command", kind: "command" }],
  ["Read", { argument: "file_path", kind: "path" }],
  ["Write", { argument: "file_path", kind: "path" }],
  ["Edit", { argument: "file_path", kind: "path" }],
  ["Glob", { argument: "path", kind: "path", otherwise: workspace }],
  ["Grep", { argument: "path", kind: "path", otherwise: workspace }],
  ["WebFetch", { argument: "url", kind: "url" }],
  ["WebSearch", { argument: "query", kind: "text" }],
  ["Skill", { argument: "name", kind: "text", otherwise: "" }],
]);

/** The tool's telling argument; for other tools, and where it is no text, all arguments as compact JSON. */
export function targetOf(tool: string, args: JsonObject): CallTarget {
  const told = targetArguments.get(tool);
  if (told !== undefined) {
    const value = Object.hasOwn(args, told.argument) ? args[told.argument] : told.otherwise;
    if (typeof value === "string") return { kind: told.kind, text: value };
  }
  return { kind: "text", text: JSON.stringify(args) };
}

/** One argument by its name: a text as it is, another value as compact JSON; null where there is none, and the tool takes nothing in its place. */
export function argumentOf(tool: string, argument: string, args: JsonObject): CallTarget | null {
  const told = targetArguments.get(tool);
  const isTelling = told?.argument === argument;
  const value = Object.hasOwn(args, argument) ? args[argument] : isTelling ? told.otherwise : undefined;
  if (value === undefined) return null;
  if (typeof value !== "string") return { kind: "text", text: JSON.stringify(value) };
  return { kind: isTelling ? told.kind : "text", text: value };
}

/** The name of the tool's telling argument; null of a tool without one. */
export function tellingArgumentOf(tool: string): string | null {
  return targetArguments.get(tool)?.argument ?? null;
}
