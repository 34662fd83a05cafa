/** The digest by which a submission is known to be the same one again, when what was given lies in an earlier segment. */
import { hash } from "node:crypto";
import { canonicalJson, type InputPart, type SystemItem } from "@yoi/base";

/** SHA-256 of the canonical JSON, in lower-case hex. */
export function submissionDigest(given: readonly InputPart[] | SystemItem): string {
  return hash("sha256", canonicalJson(given), "hex");
}
