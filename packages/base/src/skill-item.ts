/** How a skill goes on record, whoever asked for it. */
import type { SystemItem } from "./system-item.ts";
import { escapeControls, utf8Length } from "./text.ts";

/** A skill that was read. */
export interface SkillText {
  readonly name: string;
  /** Of its SKILL.md. */
  readonly path: string;
  /** Of that file's bytes. */
  readonly sha256: string;
  /** What the model reads. */
  readonly body: string;
}

/** Its record says which text of which skill this is: `text_bytes` are those of the body, so that one which was shortened later is known as such. */
export function skillItem({ name, path, sha256, body }: SkillText, askedBy: "model" | "user"): SystemItem {
  return {
    type: "system_item",
    kind: "skill",
    source: "host",
    reason: `the ${askedBy} asked for the skill ${name} (${escapeControls(path)})`,
    body,
    record: { skill: name, path, sha256, text_bytes: utf8Length(body) },
  };
}
