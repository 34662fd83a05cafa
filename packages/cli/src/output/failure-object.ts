/** A failure as JSON on stdout, for whoever asked for JSON: scripts need not read sentences. */
import type { JsonObject } from "@yoi/base";
import { errorObject } from "./error-object.ts";

/** `run` gets its result object (in a stream the last line, and here the only one), other commands `{error, error_code}`; null when the command line asks for no JSON. */
export function failureObject(argv: readonly string[], code: string, message: string): JsonObject | null {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const flag = "--output-format";
  const format = words.findLast((word, at) => words[at - 1] === flag || word.startsWith(`${flag}=`));
  const name = format?.replace(`${flag}=`, "");
  if (name === "json" || name === "stream-json") return errorObject({ code, message });
  return words.includes("--json") ? { error: message, error_code: code } : null;
}
