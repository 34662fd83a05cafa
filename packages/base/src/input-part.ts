/** What a user submits, in typed pieces. */
import { fileRefText } from "./file-ref.ts";

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A file or directory that is to be attached: its content becomes a `file_attachment` system item behind the input. */
export interface FileRefPart {
  readonly type: "file_ref";
  /** As typed; relative to the workspace. */
  readonly path: string;
}

/** A skill that is to be loaded: its text becomes a `skill` system item behind the input. */
export interface SkillRefPart {
  readonly type: "skill_ref";
  /** Of the skill, without the slash. */
  readonly name: string;
}

export type InputPart = TextPart | FileRefPart | SkillRefPart;

/** The text of an input as the model reads it: a reference stays where it was typed. */
export function flattenInput(parts: readonly InputPart[]): string {
  return parts.map(partText).join("");
}

/** One piece, as the model reads it. */
export function partText(part: InputPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "file_ref":
      return fileRefText(part.path);
    case "skill_ref":
      return `/${part.name}`;
  }
}
