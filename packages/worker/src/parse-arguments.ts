/** Arguments of a live call: a JSON object, frozen, or a sentence saying why not. Nothing is guessed: a cut call never runs as `{}`. */
import { deepFreeze, isDepthWithin, isJsonObject, type JsonObject, jsonDepthMax } from "@yoi/base";

export type ParsedArguments = { readonly args: JsonObject } | { readonly problem: string };

export function parseArguments(name: string, text: string): ParsedArguments {
  const problem = (why: string) => ({
    problem: `the arguments of ${name} are not a JSON object: ${why}; make the call again with one complete JSON object`,
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // V8 names the position except at the end of the text.
    return problem(/position \d+/.test(why) ? why : `${why} at position ${text.length}`);
  }
  if (!isDepthWithin(value, jsonDepthMax)) {
    return {
      problem: `the arguments of ${name} are nested deeper than ${jsonDepthMax} levels; make the call again with a flatter JSON object`,
    };
  }
  if (isJsonObject(value)) return { args: deepFreeze(value) };
  const what = value === null ? "null" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
  return problem(`they are ${what}`);
}
