/** What a person is shown of a call while it runs: the tool and its most telling argument, on one line. */
import { canonicalJson, cutUtf8, escapeControls, type JsonObject } from "@yoi/base";

export const titleBytesMax = 120;

export function callTitle(name: string, args: JsonObject): string {
  const text = Object.values(args).find((value) => typeof value === "string") ?? canonicalJson(args);
  const line = escapeControls(text.replace(/\s+/g, " ").trim());
  const kept = cutUtf8(line, titleBytesMax);
  return `${name} ${kept === line ? line : `${kept}…`}`;
}
