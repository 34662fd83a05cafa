/** Sealed JSON: one line that ends with a checksum over all before it, so that damage shows. It is no signature. */
import { hash } from "node:crypto";
import { isDepthWithin, isJsonObject, jsonDepthMax, type JsonObject } from "@yoi/base";

const sealPattern = /,"sum":"([0-9a-f]{16})"\}$/;

/** Without a line end. `fields` has at least one field, none named `sum`, and its values nest no deeper than `jsonDepthMax`. */
export function sealJson(fields: JsonObject): string {
  const head = JSON.stringify(fields).slice(0, -1);
  return `${head},"sum":"${sumOf(head)}"}`;
}

/** `wrong` completes the sentence "it is damaged: ...". */
export function unsealJson(line: string): { readonly fields: JsonObject } | { readonly wrong: string } {
  const seal = sealPattern.exec(line);
  if (seal === null) return { wrong: "its end is missing" };
  if (sumOf(line.slice(0, seal.index)) !== seal[1])
    return { wrong: "its checksum does not match its content" };
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return { wrong: "it is not JSON" };
  }
  if (!isJsonObject(fields) || !isDepthWithin(fields, jsonDepthMax + 1))
    return { wrong: "it is not what is kept there" };
  return { fields };
}

function sumOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}
