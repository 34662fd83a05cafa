/** The prompt as it is typed: the skill that it begins with, what `@` refers to, and the text around them. */
import { unquoted, withoutPunctuation } from "./file-ref.ts";
import type { InputPart } from "./input-part.ts";
import { openingSkill } from "./skill-ref.ts";

/** At the beginning or after white space: `\@`, which is only the sign; `@"a path"`, in which `\"` and `\\` are `"` and `\`; or `@` up to the next white space. */
const references = /(?<=^|\s)(?:\\(?=@)|@"((?:[^"\\\r\n]|\\["\\]|\\(?!["\\]))+)"|@([^\s"]\S*))/g;

/**
 * Parts in the order of the text, neighbouring texts joined. Whatever looks like a reference is one, there or not: what cannot be attached stays as it
 * was typed.
 */
export function parsePrompt(prompt: string): readonly InputPart[] {
  const parts: InputPart[] = [];
  let from = 0;
  const skill = openingSkill(prompt);
  if (skill?.isText === true) from = 1;
  else if (skill !== null) {
    parts.push({ type: "skill_ref", name: skill.name });
    from = 1 + skill.name.length;
  }
  for (const found of prompt.matchAll(references)) {
    parts.push({ type: "text", text: prompt.slice(from, found.index) });
    from = found.index;
    const [whole, quoted, bare] = found;
    if (quoted !== undefined) {
      parts.push({ type: "file_ref", path: unquoted(quoted) });
      from += whole.length;
    } else if (bare === undefined) {
      // The backslash goes; the sign behind it begins nothing.
      from += whole.length;
    } else {
      const path = withoutPunctuation(bare);
      if (path === "") continue;
      parts.push({ type: "file_ref", path });
      from += 1 + path.length;
    }
  }
  parts.push({ type: "text", text: prompt.slice(from) });
  return joinTexts(parts);
}

/** Empty texts go; what is left of two that are neighbours is one. */
export function joinTexts(parts: readonly InputPart[]): readonly InputPart[] {
  const joined: InputPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") {
      joined.splice(-1, 1, { type: "text", text: last.text + part.text });
    } else if (part.type !== "text" || part.text !== "") joined.push(part);
  }
  return joined;
}
