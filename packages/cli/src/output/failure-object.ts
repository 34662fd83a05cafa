/** A failure as JSON on stdout, for whoever asked for JSON: scripts need not read sentences. */
import type { JsonObject } from "@yoi/base";
import { errorObject } from "./result.ts";

/** `run` gets its result object, other commands `{error, error_code}`; null when the command line asks for no JSON. */
export function failureObject(argv: readonly string[], code: string, message: string): JsonObject | null {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const format = words.indexOf("--output-format");
  if (words.includes("--output-format=json") || (format !== -1 && words[format + 1] === "json"))
    return errorObject({ code, message });
  return words.includes("--json") ? { error: message, error_code: code } : null;
}
