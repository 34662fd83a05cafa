/** Parse line: from the bytes of a line to a JSON object, strictly, and only where parsing it is cheap enough. */
import { isJsonObject, type JsonObject } from "@yoi/base";

/** What is wrong with a line, as one sentence. What reads lines turns it into the error of its side. */
export class Fault extends Error {
  override readonly name = "Fault";
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param valuesMax how many values the line may hold: memory and time for JSON go with their number, not with the bytes. */
export function parseLine(line: Uint8Array, depthMax: number, valuesMax: number): JsonObject {
  const { depth, values } = sizeOf(line);
  if (depth > depthMax) throw new Fault(`The line is nested deeper than ${depthMax} levels.`);
  if (values > valuesMax) throw new Fault(`The line holds more than ${valuesMax} values.`);
  let text: string;
  try {
    text = utf8.decode(line);
  } catch {
    throw new Fault("The line is not UTF-8.");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault("The line is not valid JSON: one object a line is expected, and LF only at its end.");
  }
  if (!isJsonObject(value)) {
    throw new Fault("The line is not a JSON object: it is to begin with { and end with }.");
  }
  return value;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Depth and number of values as they would be, were it valid JSON: `[[[[` is refused before anything is made of it. */
function sizeOf(line: Uint8Array): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let open = 0;
  let values = 1;
  for (let at = 0; at < line.length; at += 1) {
    switch (line[at]) {
      case quote:
        at = endOfText(line, at);
        break;
      case comma:
        values += 1;
        break;
      case openList:
      case openObject:
        values += 1;
        open += 1;
        if (open > depth) depth = open;
        break;
      case closeList:
      case closeObject:
        open -= 1;
        break;
    }
  }
  return { depth, values };
}

/** Offset of the quotation mark that ends the text beginning at `start`; behind the line when none does. */
function endOfText(line: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at;
}
