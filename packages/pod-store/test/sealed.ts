/** A metadata file with a right checksum over whatever fields a test wants in it. */
import { createHash } from "node:crypto";
import { canonicalJson, type JsonObject } from "@yoi/base";

export function sealed(fields: JsonObject): Uint8Array {
  const checksum = createHash("sha256").update(canonicalJson(fields)).digest("hex");
  return Buffer.from(JSON.stringify({ ...fields, checksum }, null, 2));
}
