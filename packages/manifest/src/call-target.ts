/** What a tool call is about: the one argument of each tool that permission rules are matched against. */
import type { JsonObject } from "@yoi/base";

/** `path`: the text names a file, and rules are matched against where it really lies. `url`: against the one way to write what it leads to. */
export interface CallTarget {
  readonly kind: "path" | "text" | "url";
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
  ["Bash", { argument: "command", kind: "text" }],
  ["Read", { argument: "file_path", kind: "path" }],
  ["Write", { argument: "file_path", kind: "path" }],
  ["Edit", { argument: "file_path", kind: "path" }],
  ["Glob", { argument: "path", kind: "path", otherwise: workspace }],
  ["Grep", { argument: "path", kind: "path", otherwise: workspace }],
  ["WebFetch", { argument: "url", kind: "url" }],
  ["WebSearch", { argument: "query", kind: "text" }],
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
