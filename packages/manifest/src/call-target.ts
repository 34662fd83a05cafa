/** What a tool call is about, as the text that permission rules are matched against. */
import type { JsonObject } from "@yoi/base";

/** The arguments that say it, in the order in which they are looked for. */
const targetArguments = ["command", "file_path", "path", "pattern", "query", "url"];

/** The first of the telling arguments that is a text, else all arguments as JSON. */
export function targetOf(args: JsonObject): string {
  for (const key of targetArguments) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (typeof value === "string") return value;
  }
  return JSON.stringify(args);
}
