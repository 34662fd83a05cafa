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

export type InputPart = TextPart | FileRefPart;

/** The text of an input as the model reads it: a reference stays where it was typed. */
export function flattenInput(parts: readonly InputPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : fileRefText(part.path))).join("");
}
