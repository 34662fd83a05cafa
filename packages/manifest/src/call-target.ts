/** What a tool call is about: the one argument of each tool that permission rules are matched against. */
import type { JsonObject } from "@yoi/base";

/** `path`: the text names a file, and rules are matched against where it really lies. */
export interface CallTarget {
  readonly kind: "path" | "text";
  readonly text: string;
}

const targetArguments: ReadonlyMap<string, { readonly argument: string; readonly kind: CallTarget["kind"] }> =
  new Map([
    ["Bash", { argument: "command", kind: "text" }],
    ["Read", { argument: "file_path", kind: "path" }],
    ["Write", { argument: "file_path", kind: "path" }],
    ["Edit", { argument: "file_path", kind: "path" }],
    ["Glob", { argument: "path", kind: "path" }],
    ["Grep", { argument: "path", kind: "path" }],
    ["WebFetch", { argument: "url", kind: "text" }],
    ["WebSearch", { argument: "query", kind: "text" }],
  ]);

/** The tool's telling argument; for other tools, and where it is no text, all arguments as compact JSON. */
export function targetOf(tool: string, args: JsonObject): CallTarget {
  const told = targetArguments.get(tool);
  const value = told !== undefined && Object.hasOwn(args, told.argument) ? args[told.argument] : undefined;
  if (told === undefined || typeof value !== "string") return { kind: "text", text: JSON.stringify(args) };
  return { kind: told.kind, text: value };
}
