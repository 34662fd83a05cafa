/** The digest by which a submission is known to be the same one again, when what was given lies in an earlier segment. */
import { hash } from "node:crypto";
import { canonicalJson, type InputPart, type SystemItem, type UserCommand } from "@yoi/base";

/** What comes in under a name: an input, a notice, or a command. */
export type Given = readonly InputPart[] | SystemItem | Pick<UserCommand, "kind" | "command">;

/** SHA-256 of the canonical JSON, in lower-case hex. */
export function submissionDigest(given: Given): string {
  return hash("sha256", canonicalJson(given), "hex");
}

/** Of a command what tells it from another one: a text alone could be an input. */
export function commandGiven({ command }: Pick<UserCommand, "command">): Given {
  return { kind: "user_command", command };
}
