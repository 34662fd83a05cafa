/** The argument that says what a call is about, also while its arguments arrive. */
import { isJsonObject, type JsonObject } from "@yoi/base";
import type { Line } from "../line.ts";
import { expandedRowsMax } from "./block-options.ts";
import { firstRows } from "./bounded-rows.ts";

/** Of those of a call the first that is there. */
const telling = ["command", "file_path", "path", "pattern", "url", "query", "name", "title", "message"];
/** Characters of arguments that are looked at: a head has no room for more. */
const lookedAtCharsMax = 16_384;

/** As text, of any length; "": there is none yet. */
export function tellingArgument(tool: string, args: string): string {
  const read = parsed(args);
  if (read === null) return partOf(args.slice(0, lookedAtCharsMax));
  const names = tool === "Glob" || tool === "Grep" ? ["pattern", ...telling] : telling;
  const known = names.map((name) => read[name]).find((value) => typeof value === "string");
  const any = known ?? Object.values(read).find((value) => typeof value === "string" && value !== "");
  if (typeof any === "string") return any;
  return Object.keys(read).length === 0 ? "" : JSON.stringify(read);
}

/** All of them, a name in front of each. What cannot be read is shown as it was written. */
export function argumentRows(args: string, columns: number): readonly Line[] {
  const read = parsed(args);
  const rowsMax = expandedRowsMax;
  if (read === null) return args.trim() === "" ? [] : firstRows(args, { columns, rowsMax });
  return Object.entries(read).flatMap(([name, value]) =>
    firstRows(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`, { columns, rowsMax }),
  );
}

function parsed(args: string): JsonObject | null {
  try {
    const read: unknown = JSON.parse(args);
    return isJsonObject(read) ? read : null;
  } catch {
    // Not whole yet, or not what a model should write: the caller shows what is there.
    return null;
  }
}

/** Of arguments that are not whole: the text that began last of those that tell. */
function partOf(args: string): string {
  for (const name of telling) {
    const found = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`, "s").exec(args)?.[1];
    if (found !== undefined) return unescaped(found);
  }
  return "";
}

function unescaped(text: string): string {
  // The end may be half of an escape.
  const whole = text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "");
  try {
    const read: unknown = JSON.parse(`"${whole}"`);
    return typeof read === "string" ? read : whole;
  } catch {
    // A model may write what JSON does not know: shown as it is.
    return whole;
  }
}
